// Package query asks private statistics of records. Each question is paid for before its noise is drawn.
//
// [Question] is a question in words about a table under a schema: a statistic, expressions of columns, a
// condition. What it releases, and so its cost, follows from its [Plan]. [Quantiles], [Bounds], [Categories]
// and, for statistics without a known sensitivity, [Aggregate] ask any records.
package query
