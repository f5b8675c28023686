// Package sweep runs plans many times and measures their models. A sweep varies budgets, clipping
// norms, batch sizes and other settings, with repeats and intervals. It returns the figures and
// comparisons for its results. It computes and does not draw: package internal/report draws a
// Figure.
//
// A sweep on private records is an experiment on them: each configuration is charged as a release.
package sweep
