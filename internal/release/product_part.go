package release

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
)

// productPart is one block of a ProductSum with the integers of the records that are being added.
// Where a record has one position and a dense left factor, its contribution is one outer product.
// The contributions of all records are summed together at the end. Otherwise it is formed, measured
// and added by itself.
type productPart struct {
	ProductBlock
	total   []int64
	factors kernel.Factors[float32]
	lefts   []int16   // Records × Positions × width, or one of each entry
	rights  []int16   // Records × Positions × Right
	squares []int64   // of each record's left factor, where it has one position
	scales  []float32 // what the left factors of each record were multiplied by
	own     []int64   // one record's contribution, where it is formed
	tokens  []uint32  // of own, where it is sparse: ascending
	order   []int     // of the entries of one record
}

// single reports whether a contribution is one outer product.
func (p *productPart) single() bool { return !p.Sparse && p.factors.Positions == 1 }

// begin rounds the left factors of all records. Each record has a scale of its own, by which its
// largest number becomes maxLeft; its right factors make up for it. NaN and infinities make the
// scale 0, and the record contribute zero.
func (p *productPart) begin(f kernel.Factors[float32]) {
	p.factors = f
	p.rights = grow(p.rights, f.Records*f.Positions*p.Right)
	p.scales = grow(p.scales, f.Records)
	if p.Sparse {
		p.beginSparse()
		return
	}
	width, of := p.width(), f.Positions*p.Left
	p.lefts = grow(p.lefts, f.Records*f.Positions*width)
	for i := range f.Records {
		p.roundLefts(p.lefts[i*f.Positions*width:(i+1)*f.Positions*width], f.Lefts[i*of:(i+1)*of], i)
	}
	if p.single() {
		p.squares = grow(p.squares, f.Records)
		kernel.SquareRows(p.squares, p.lefts, width)
	}
}

// roundLefts rounds the left factors of one record.
func (p *productPart) roundLefts(dst []int16, src []float32, i int) {
	largest := kernel.Largest(src)
	if p.Bias {
		largest = max(largest, 1) // NaN stays
	}
	scale := leftScale(largest)
	p.scales[i] = scale
	if !p.Bias {
		kernel.RoundInt(dst, src, scale, maxLeft)
		return
	}
	width := p.Left + 1
	for t := range p.factors.Positions {
		to := dst[t*width : (t+1)*width]
		kernel.RoundInt(to, src[t*p.Left:(t+1)*p.Left], scale, maxLeft)
		to[p.Left] = int16(math.RoundToEven(float64(min(scale, maxLeft))))
	}
}

// leftScale is by what left factors with this largest magnitude are multiplied: at most the largest
// number of its type, which factors of nothing but zeros have. So their right ones, which do not
// matter, become zeros too and do not make the record shorter; and 0 if there is none.
func leftScale(largest float32) float32 {
	if largest-largest != 0 { // NaN or infinite
		return 0
	}
	return min(maxLeft/largest, math.MaxFloat32)
}

// round rounds the right factors of the i-th record times a factor, to the nearest integers or
// toward zero. It returns their largest magnitude before they were moved into 16 bits: not a finite
// number if a factor of either side is not.
func (p *productPart) round(i int, factor float64, nearest bool) float64 {
	n := p.factors.Positions * p.Right
	dst, src := p.rights[i*n:(i+1)*n], p.factors.Rights[i*n:(i+1)*n]
	scale := float32(factor / float64(p.scales[i]))
	if nearest {
		kernel.RoundInt(dst, src, scale, maxRight)
	} else {
		kernel.TruncateInt(dst, src, scale, maxRight)
	}
	if !p.single() {
		p.form(i)
	}
	return math.Abs(float64(kernel.Largest(src)) * float64(scale))
}

// addNorm adds the squared norm of the i-th record's contribution.
func (p *productPart) addNorm(norm *square, i int) {
	if p.single() {
		norm.add(uint64(p.squares[i]), uint64(kernel.SquareInt(p.rights[i*p.Right:(i+1)*p.Right])))
		return
	}
	norm.addWide(kernel.SquareLong(p.own))
}

// form writes the i-th record's contribution to own.
func (p *productPart) form(i int) {
	if p.Sparse {
		p.formSparse(i)
		return
	}
	p.own = grow(p.own, p.Numbers())
	clear(p.own)
	n, width := p.factors.Positions, p.width()
	addProducts(p.own, p.lefts[i*n*width:(i+1)*n*width], p.rights[i*n*p.Right:(i+1)*n*p.Right], n, width, p.Right)
}

// keep adds a record that was formed.
func (p *productPart) keep() {
	switch {
	case p.single():
	case p.Sparse:
		for k, v := range p.tokens {
			kernel.AddLong(p.total[int(v)*p.Right:(int(v)+1)*p.Right], p.own[k*p.Right:(k+1)*p.Right])
		}
	default:
		kernel.AddLong(p.total, p.own)
	}
}

// drop makes the i-th record contribute zero.
func (p *productPart) drop(i int) {
	n := p.factors.Positions * p.Right
	clear(p.rights[i*n : (i+1)*n])
}

// finish adds the outer products of all records.
func (p *productPart) finish() {
	if p.single() && p.factors.Records > 0 {
		addProducts(p.total, p.lefts, p.rights, p.factors.Records, p.width(), p.Right)
	}
	p.factors = kernel.Factors[float32]{}
}

// beginSparse rounds the values of sparse left factors; entries without a value are 1.
func (p *productPart) beginSparse() {
	f := p.factors
	n := f.Positions * f.Entries
	p.lefts = grow(p.lefts, len(f.Index))
	for i := range f.Records {
		p.scales[i] = maxLeft
		if f.Values == nil {
			for k := range n {
				p.lefts[i*n+k] = maxLeft
			}
			continue
		}
		own := f.Values[i*n : (i+1)*n]
		p.scales[i] = leftScale(kernel.Largest(own))
		kernel.RoundInt(p.lefts[i*n:(i+1)*n], own, p.scales[i], maxLeft)
	}
}

// formSparse writes the i-th record's contribution to own, one row for each of its tokens.
func (p *productPart) formSparse(i int) {
	f := p.factors
	n := f.Positions * f.Entries
	index, lefts := f.Index[i*n:(i+1)*n], p.lefts[i*n:(i+1)*n]
	p.order = p.order[:0]
	for k, v := range index {
		if v != kernel.NoIndex {
			p.order = append(p.order, k)
		}
	}
	slices.SortFunc(p.order, func(a, b int) int { return int(index[a]) - int(index[b]) })
	p.tokens, p.own = p.tokens[:0], p.own[:0]
	for _, k := range p.order {
		if len(p.tokens) == 0 || p.tokens[len(p.tokens)-1] != index[k] {
			p.tokens = append(p.tokens, index[k])
			p.own = append(p.own, make([]int64, p.Right)...)
		}
		at := (i*f.Positions + k/max(1, f.Entries)) * p.Right
		row := p.own[len(p.own)-p.Right:]
		for j, v := range p.rights[at : at+p.Right] {
			row[j] += int64(lefts[k]) * int64(v)
		}
	}
}

// square is a sum of squares in 128 bits.
type square struct{ high, low uint64 }

// add adds a product.
func (s *square) add(a, b uint64) {
	s.addWide(bits.Mul64(a, b))
}

// addWide adds a number of two words.
func (s *square) addWide(high, low uint64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, low, 0)
	s.high, _ = bits.Add64(s.high, high, carry)
}

// within reports whether the sum is at most bound².
func (s square) within(bound int64) bool {
	high, low := bits.Mul64(uint64(bound), uint64(bound))
	return s.high < high || s.high == high && s.low <= low
}

// root is about the square root of the sum.
func (s square) root() float64 { return math.Sqrt(float64(s.high)*0x1p64 + float64(s.low)) }

// addProducts adds Σ_r right_r ⊗ left_r over rows to dst, of shape right × width, exactly: |left|
// is at most maxLeft and |right| at most maxRight.
func addProducts(dst []int64, lefts, rights []int16, rows, width, right int) {
	kernel.AddProductInt(dst, lefts, rights, kernel.IntShape{Rows: rows, Left: width, Right: right, Group: productGroup})
}
