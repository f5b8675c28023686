// Package outcome holds the results of a finished sweep: its notice on the cost of all runs, its
// table, figures and page, and the files of its folder.
package outcome
