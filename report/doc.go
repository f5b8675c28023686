// Package report writes what there is to know about a trained model: one
// self-contained HTML page and a text for the terminal. It explains the
// guarantee in words, lists what was declared public and what was assumed,
// shows the budget, the coefficients and metrics over public records, and
// draws its own plots.
//
// It computes nothing but the consequences of the stated guarantee. Every
// string it is given is treated as hostile text: names of features and files
// may come from a stranger's table.
package report
