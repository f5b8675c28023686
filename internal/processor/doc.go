// Package processor measures for benchmarks what a process takes of the processors. Tests import it, and
// nothing else does.
package processor
