// Package grid makes many runs from settings in text. It reads values and files of them, plans
// every combination, prices all runs together, and makes a private choice among them.
package grid
