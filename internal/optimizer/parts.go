package optimizer

import (
	"runtime"

	"github.com/ditherml/dither/internal/parallel"
)

// partNumbers is how many numbers are worth a goroutine if little is done with each.
const partNumbers = 1 << 16

// EachPart calls do for disjoint parts of the numbers 0 … n-1, on all processors if there are many.
// It is for work whose result does not depend on the division: coordinate by coordinate.
func EachPart(n int, do func(from, to int)) {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/partNumbers))
	parallel.Each(parts, func(p int) { do(p*n/parts, (p+1)*n/parts) })
}
