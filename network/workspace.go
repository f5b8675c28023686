package network

import "github.com/ditherml/dither/internal/kernel"

// Workspace is memory that SquaredNorms and AddSum reuse between calls. The zero value is ready to
// use. Only one goroutine may use a Workspace at a time.
type Workspace[T kernel.Float] struct {
	// Serial makes AddSum use only the caller's goroutine. Otherwise large products use several
	// processors. The results have the same bits in both cases.
	Serial bool

	gradient, scaled, lefts, rights []T
	sum, column                     []float64
	tokens                          []uint64
}

// grown returns n numbers with unspecified values. It reuses the memory of s if that is large
// enough. The result is never nil: a nil Index of Factors has a meaning of its own.
func grown[S any](s *[]S, n int) []S {
	if *s == nil || cap(*s) < n {
		*s = make([]S, n)
	}
	return (*s)[:n]
}

// square returns Σ x², in float64.
func square[T kernel.Float](x []T) float64 {
	var a, b, c, d float64
	for len(x) >= 4 {
		a += float64(x[0]) * float64(x[0])
		b += float64(x[1]) * float64(x[1])
		c += float64(x[2]) * float64(x[2])
		d += float64(x[3]) * float64(x[3])
		x = x[4:]
	}
	for _, v := range x {
		a += float64(v) * float64(v)
	}
	return a + b + (c + d)
}
