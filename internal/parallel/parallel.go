// Package parallel divides work over goroutines that other processors take at once.
//
// The goroutine that was begun last waits for the processor that began it: another one that has nothing to do
// takes it only after a pause (func runqgrab of Go's scheduler), which is as long as a step of a small batch. An
// empty goroutine after it waits in its stead.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Begin runs do alongside the caller. It does not wait for its end.
func Begin(do func()) {
	go do()
	free()
}

// Each calls do for the parts 0 … parts-1, all at the same time, and returns when all have ended. The last is on the
// goroutine of the caller, so that none has to be woken for a single one.
func Each(parts int, do func(part int)) {
	if parts < 1 {
		return
	}
	var others sync.WaitGroup
	for p := range parts - 1 {
		others.Go(func() { do(p) })
	}
	if parts > 1 {
		free()
	}
	do(parts - 1)
	others.Wait()
}

// Parts calls do for consecutive parts of [0, n), one for each processor, all at the same time.
func Parts(n int, do func(from, to int)) {
	parts := min(n, runtime.GOMAXPROCS(0))
	Each(parts, func(p int) { do(p*n/parts, (p+1)*n/parts) })
}

// Items calls do for 0 … n-1 on all processors. A processor that has ended one takes the next that nobody took, so
// items may take unlike times.
func Items(n int, do func(i int)) {
	var taken atomic.Int64
	Each(min(n, runtime.GOMAXPROCS(0)), func(int) {
		for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
			do(i)
		}
	})
}

// free lets other processors take what was begun last.
func free() { go func() {}() }
