// Package processor measures a process's use of the processors for benchmarks. Only tests import
// it.
package processor
