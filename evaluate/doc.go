// Package evaluate measures how good predictions are: accuracy, area under the
// curve, log-loss and the confusion matrix for classes, root mean squared
// error, mean absolute error and R² for numbers, each over all records and by
// the levels of a group column.
//
// The functions are pure and know nothing of privacy. What they return is as
// private as the labels and predictions they are given: publish it only when
// those records were declared public.
package evaluate
