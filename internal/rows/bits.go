package rows

import (
	"math/bits"

	"github.com/ditherml/dither/internal/kernel"
)

// bitRows have one bit a coordinate, in whole words for each row, the first in the lowest bit.
type bitRows struct {
	dim int
	x   []uint64
}

func (p bitRows) Count() int { return len(p.x) / kernel.BitWords(p.dim) }

func (p bitRows) row(i int) []uint64 {
	return p.x[i*kernel.BitWords(p.dim) : (i+1)*kernel.BitWords(p.dim)]
}

func (p bitRows) Put(i int, v []int16) {
	row := p.row(i)
	clear(row)
	for j, q := range v {
		if q != 0 {
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

func (p bitRows) Norms2(dst []int64) {
	for i := range dst {
		dst[i] = p.norm2(i)
	}
}

func (p bitRows) Dots(dst []int64, m []int64, _ []int16) {
	dotAll(dst, p, m)
}

func (p bitRows) Read(i int, own *Room) ([]uint32, []int16, []uint8) {
	n := 0
	own.Index, own.Values = grow(own.Index, p.dim), grow(own.Values, p.dim)
	for k, w := range p.row(i) {
		for ; w != 0; w &= w - 1 {
			own.Index[n], own.Values[n] = uint32(64*k+bits.TrailingZeros64(w)), 1
			n++
		}
	}
	return own.Index[:n], own.Values[:n], nil
}

func (p bitRows) Same(o Storage) bool {
	other, ok := o.(bitRows)
	return ok && sameMemory(p.x, other.x)
}

func (p bitRows) CopyRow(dst []int16, i int) {
	clear(dst[:p.dim])
	p.each(i, func(j int) { dst[j] = 1 })
}

func (p bitRows) Part(first, n int) Storage {
	w := kernel.BitWords(p.dim)
	return bitRows{p.dim, p.x[first*w : (first+n)*w]}
}

func (p bitRows) Take(to Storage, rows []int) Storage {
	buffer, _ := to.(bitRows)
	return bitRows{p.dim, buffer.x[:0]}.Extend(p, rows)
}

func (p bitRows) Extend(o Storage, rows []int) Storage {
	from := o.(bitRows)
	p.x = kernel.AppendRows(p.x, from.x, kernel.BitWords(p.dim), rows)
	return p
}

func (p bitRows) Encode(dst []byte) ([]byte, int) { return append(dst, kernel.Bytes(p.x)...), 0 }

func (p bitRows) Decode(_ Storage, bytes []byte, rows, _ int) (Storage, error) {
	out := bitRows{p.dim, kernel.View[uint64](bytes, 0, rows*kernel.BitWords(p.dim))}
	for i := kernel.BitWords(p.dim) - 1; i < len(out.x) && p.dim%64 != 0; i += kernel.BitWords(p.dim) {
		if out.x[i]>>(p.dim%64) != 0 {
			return nil, damaged("a row has bits beyond its end")
		}
	}
	return out, nil
}

func (p bitRows) Weigh(weights []float32, columns int, _ bool) Products {
	return func(dst []float32, x Storage) {
		if x.Count() == 1 {
			kernel.MarginsBitsAlone(dst, x.(bitRows).x, p.dim, weights, columns)
			return
		}
		kernel.MarginsBits(dst, x.(bitRows).x, p.dim, weights, columns)
	}
}

func (p bitRows) AddWhole(whole, q []float64, columns int) {
	kernel.AddIntBits(whole, p.x, p.dim, q, columns)
}

func (p bitRows) AddRow(total []int64, i int, q []int64) {
	for k, c := range q {
		dst := total[k*p.dim : (k+1)*p.dim]
		p.each(i, func(j int) { dst[j] += c })
	}
}

func (p bitRows) Flush(total []int64, whole []float64, _ int) { kernel.FlushInt(total, whole) }

func (p bitRows) WeighColumns(weights []float32, columns int, rounded bool) Products {
	return byColumn(p.Weigh(weights, columns, rounded), columns)
}

func (p bitRows) AddColumns(whole, q []float64, columns int) {
	p.AddWhole(whole, byRow(q, p.Count(), columns), columns)
}
