package train

import (
	"runtime"
	"sync"
)

// partNumbers is how many numbers are worth a goroutine, where little is done with each.
const partNumbers = 1 << 16

// EachPart calls do for parts of the numbers 0 … n-1, which do not overlap, on all processors when there are many.
// It is for work whose result does not hang on the division: coordinate by coordinate.
func EachPart(n int, do func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n/partNumbers)
	if parts < 2 {
		do(0, n)
		return
	}
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() { do(p*n/parts, (p+1)*n/parts) })
	}
	wait.Wait()
}
