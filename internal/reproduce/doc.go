// Package reproduce runs experiments of the literature again and compares each published figure
// with ours, with the reason why they differ. The experiments are the entries of a table, one file
// each.
//
// The data sets are public; the epsilon of a run is what it would guarantee if its records were private. The
// many runs of an experiment together would cost more.
package reproduce
