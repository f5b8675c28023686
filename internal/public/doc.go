// Package public knows data sets of the literature by the names of their folders: their files,
// their columns, and their records for training and for testing. They are declared public. The
// folder comes from the caller; none comes with the program.
package public
