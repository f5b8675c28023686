// Package sweep runs many configurations repeatedly and measures their models. A sweep varies
// budgets, clipping norms, batch sizes and other settings. It returns measurements, summaries with
// intervals, and costs. Other packages draw figures.
//
// If the records are private, each run of a sweep is a release that has to be paid for.
package sweep
