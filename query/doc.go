// Package query answers statistical questions about private records with noise. The cost of each
// question is reserved before its noise is drawn.
//
// A [Question] is a [Plan] bound to a schema: a statistic, expressions of columns, and a condition.
// The plan determines the release and its cost. [Aggregate] estimates statistics without a known
// sensitivity.
package query
