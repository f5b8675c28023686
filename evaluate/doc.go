// Package evaluate measures the quality of predictions. For classes it computes accuracy, area
// under the curve, log-loss and the confusion matrix. For numbers it computes root mean squared
// error, mean absolute error and R². All measures are available over all records and for each level
// of a group column.
//
// Classify and Regress compute exact measures without privacy. Publish their results only for
// records that are public.
//
// A Plan describes an evaluation on private records. Release pays for one noisy histogram, or for
// one vector of noisy moments. Measures computes all measures from the released numbers, with
// confidence intervals. The intervals allow for the noise and for the sampling of the records. If a
// record is a person with several rows, the release also contains sums over pairs of rows. The sums
// over pairs show how correlated the rows of one person are. Intervals are always reported. They
// are wide if the noise is large.
package evaluate
