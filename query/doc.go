// Package query answers statistical questions about private records with noise. The cost of each
// question is reserved before its noise is drawn.
//
// A [Plan] states a question: a statistic, expressions of columns, and a condition on rows. The
// plan determines the release and its cost. A [Question] is a plan that was checked against a
// schema. [Aggregate] estimates statistics without a known sensitivity.
package query
