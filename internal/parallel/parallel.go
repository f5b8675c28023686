// Package parallel divides work among goroutines that several processors run at once.
//
// The goroutine that was begun last waits for the processor that began it. An idle processor takes
// it only after a pause (func runqgrab of Go's scheduler). The pause is as long as a step of a
// small batch. An empty goroutine after it waits in its place.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Begin runs do alongside the caller. It does not wait for the end.
func Begin(do func()) {
	go do()
	free()
}

// Each calls do for the parts 0 … parts-1, all at the same time, and returns when all have ended.
// The last part runs on the caller's goroutine, so that a single part wakes no other.
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

// Items calls do for 0 … n-1 on all processors. A processor that has ended one takes the next free
// one, so items may take different times.
func Items(n int, do func(i int)) { ItemsOn(runtime.GOMAXPROCS(0), n, do) }

// ItemsOn is like Items, with at most the given number of items at the same time.
func ItemsOn(most, n int, do func(i int)) {
	var taken atomic.Int64
	Each(min(n, most), func(int) {
		for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
			do(i)
		}
	})
}

// free lets other processors take the goroutine that was begun last.
func free() { go func() {}() }
