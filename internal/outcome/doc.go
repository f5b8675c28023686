// Package outcome holds what a finished sweep says: its notice on what all runs cost, its table, figures and page, and
// the files of its folder.
package outcome
