package release

import (
	"math/bits"

	"github.com/ditherml/dither/internal/kernel"
)

// bitRows have one bit a coordinate, in whole words for each row, the first in the lowest bit.
type bitRows struct {
	dim int
	x   []uint64
}

func (p bitRows) count() int { return len(p.x) / kernel.BitWords(p.dim) }

func (p bitRows) row(i int) []uint64 {
	return p.x[i*kernel.BitWords(p.dim) : (i+1)*kernel.BitWords(p.dim)]
}

func (p bitRows) put(i int, v []float64, step float64, way func(float64) float64) {
	row := p.row(i)
	clear(row)
	for j, f := range v {
		if inside(way(f/step), 0, 1) == 1 {
			row[j/64] |= 1 << (j % 64)
		}
	}
}

func (p bitRows) norm2(i int) (n2 int64) {
	for _, w := range p.row(i) {
		n2 += int64(bits.OnesCount64(w))
	}
	return n2
}

// each calls do with the coordinates of row i that are 1.
func (p bitRows) each(i int, do func(j int)) {
	for k, w := range p.row(i) {
		for ; w != 0; w &= w - 1 {
			do(64*k + bits.TrailingZeros64(w))
		}
	}
}

func (p bitRows) norms2(dst []int64) {
	for i := range dst {
		dst[i] = p.norm2(i)
	}
}

func (p bitRows) dots(dst []int64, m []int64, _ []int16) {
	dotAll(dst, p, m)
}

func (p bitRows) read(i int, own *room) ([]uint32, []int16, []uint8) {
	n := 0
	own.index, own.values = grow(own.index, p.dim), grow(own.values, p.dim)
	for k, w := range p.row(i) {
		for ; w != 0; w &= w - 1 {
			own.index[n], own.values[n] = uint32(64*k+bits.TrailingZeros64(w)), 1
			n++
		}
	}
	return own.index[:n], own.values[:n], nil
}

func (p bitRows) same(o storage) bool {
	other, ok := o.(bitRows)
	return ok && sameMemory(p.x, other.x)
}

func (p bitRows) copyRow(dst []int16, i int) {
	clear(dst[:p.dim])
	p.each(i, func(j int) { dst[j] = 1 })
}

func (p bitRows) part(first, n int) storage {
	w := kernel.BitWords(p.dim)
	return bitRows{p.dim, p.x[first*w : (first+n)*w]}
}

func (p bitRows) take(to storage, rows []int) storage {
	buffer, _ := to.(bitRows)
	return bitRows{p.dim, buffer.x[:0]}.extend(p, rows)
}

func (p bitRows) extend(o storage, rows []int) storage {
	from := o.(bitRows)
	p.x = kernel.AppendRows(p.x, from.x, kernel.BitWords(p.dim), rows)
	return p
}

func (p bitRows) encode(dst []byte) ([]byte, int) { return append(dst, kernel.Bytes(p.x)...), 0 }

func (p bitRows) decode(_ storage, bytes []byte, rows, _ int) (storage, error) {
	out := bitRows{p.dim, kernel.View[uint64](bytes, 0, rows*kernel.BitWords(p.dim))}
	for i := kernel.BitWords(p.dim) - 1; i < len(out.x) && p.dim%64 != 0; i += kernel.BitWords(p.dim) {
		if out.x[i]>>(p.dim%64) != 0 {
			return nil, errDamaged("a row has bits beyond its end")
		}
	}
	return out, nil
}

func (p bitRows) weigh(weights []float32, columns int, _ bool) products {
	return func(dst []float32, x storage) {
		if x.count() == 1 {
			kernel.MarginsBitsAlone(dst, x.(bitRows).x, p.dim, weights, columns)
			return
		}
		kernel.MarginsBits(dst, x.(bitRows).x, p.dim, weights, columns)
	}
}

func (p bitRows) addWhole(whole, q []float64, columns int) {
	kernel.AddIntBits(whole, p.x, p.dim, q, columns)
}

func (p bitRows) addRow(total []int64, i int, q []int64) {
	for k, c := range q {
		dst := total[k*p.dim : (k+1)*p.dim]
		p.each(i, func(j int) { dst[j] += c })
	}
}

func (p bitRows) flush(total []int64, whole []float64, _ int) { kernel.FlushInt(total, whole) }

func (p bitRows) weighColumns(weights []float32, columns int, rounded bool) products {
	return byColumn(p.weigh(weights, columns, rounded), columns)
}

func (p bitRows) addColumns(whole, q []float64, columns int) {
	p.addWhole(whole, byRow(q, p.count(), columns), columns)
}
