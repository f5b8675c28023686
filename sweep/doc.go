// Package sweep runs many configurations repeatedly and measures their models. A sweep varies
// budgets, clipping norms, batch sizes and other settings. It returns measurements, summaries with
// intervals, and costs; other packages draw figures.
//
// A sweep on private records is an experiment on them: each run is charged as a release.
package sweep
