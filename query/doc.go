// Package query asks private statistics of records. Each question is paid for before its noise is
// drawn.
//
// [Question] is a question in words about a table under a schema: a statistic, expressions of
// columns, a condition. Its release, and so its cost, follows from its [Plan]. [Aggregate] asks any
// records for a statistic without a known sensitivity.
package query
