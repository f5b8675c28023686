package release

import "github.com/ditherml/dither/internal/parallel"

// plain is what rows have in common in all frames: of each row of integers the squared norm, and
// the product with the secret or notEntered. Both are of the integers that entered at its place.
type plain struct {
	square []int64
	mix    []uint64
}

// newPlain returns room for the numbers of n rows.
func newPlain(n int) plain { return plain{make([]int64, n), make([]uint64, n)} }

// measure fills p for n rows of x, which are in memory and were not filled here.
func (p *plain) measure(x integers, n int, r []uint64) {
	*p = newPlain(n)
	parallel.Parts(n, func(from, to int) {
		p.take(x, from, to, r)
	})
}

// take fills p for the rows from ≤ i < to of x.
func (p *plain) take(x integers, from, to int, r []uint64) {
	var own reader
	for i := from; i < to; i++ {
		p.square[i], p.mix[i] = own.mix(x, i, r)
	}
}

// origin is what rows share that are the same integers in several frames. Its secret is theirs
// alone, drawn when they are made, as long as a row with an intercept. Nobody modifies it later.
type origin struct {
	plain  // of rows in memory
	secret []uint64
	blocks []blockMix // of rows in a file
	places []uint64   // of the secret, for each place in a block
}

// newOrigin returns the origin of rows of this many integers.
func newOrigin(dim int) *origin { return &origin{secret: uniform(dim + 1)} }

// keep keeps the numbers of the row x that enters at place i.
func (p *origin) keep(i int, x []int16) { p.square[i], p.mix[i] = mixWhole(x, p.secret[:len(x)]) }

// entered reports whether the row x is the one that entered at place i, except with probability 2^-61.
func (p *origin) entered(x []int16, i int) bool {
	_, mix := mixWhole(x, p.secret[:len(x)])
	return mix == p.mix[i]
}

// read is reader.mix for row i of x, of dim coordinates. It returns notEntered if another row
// entered at this place, except with probability 2^-61.
func (p *origin) read(x integers, i, dim int, own *reader) (square int64, mix uint64) {
	if square, mix = own.mix(x, i, p.secret[:dim]); mix != p.mix[i] {
		return 0, notEntered
	}
	return square, mix
}
