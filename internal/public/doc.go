// Package public knows data sets of the literature by the names of their folders: where their files stand,
// what their columns are, and which records are for training and which for testing. They are declared
// public. A folder of them is the caller's; none comes with the program.
package public
