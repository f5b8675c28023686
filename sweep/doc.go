// Package sweep runs a plan many times and tells what came out: sweeps over budgets, clipping norms, batch
// sizes and the like, with repeats and intervals, and the figures and comparisons in which their results are shown.
// It computes and does not draw: package internal/report draws a Figure.
//
// A sweep on private records is an experiment on them: each configuration is charged as the release that it is.
package sweep
