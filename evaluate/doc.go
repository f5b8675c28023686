// Package evaluate measures how good predictions are. For classes it has accuracy, area under the
// curve, log-loss and the confusion matrix. For numbers it has root mean squared error, mean
// absolute error and R². Each is over all records and by the levels of a group column.
//
// Classify and Regress are pure and know nothing of privacy. Their results are as private as the
// labels and predictions that they are given. Publish results only for records that were declared
// public.
//
// A Plan measures records that are private. Release pays for one noisy histogram, or one vector of
// noisy moments. Measures computes everything else from it, with intervals that allow for noise and
// sampling. Where a record is a person of several rows, the release also shows how far the rows of
// one person agree. Every draw has its intervals, which are wide where the noise hides the records.
package evaluate
