package rows

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// sparseRows keep, for each row, the coordinates that are not 0, ascending, and their integers.
type sparseRows struct {
	dim   int
	start []int // of each row, and the end
	index []uint32
	value []int16
}

// Append adds a row to x, of type Sparse, from coordinates that ascend and their integers, which
// are not 0.
func Append(x Storage, index []uint32, v []int16) {
	p := x.(*sparseRows)
	p.index, p.value = append(p.index, index...), append(p.value, v...)
	p.start = append(p.start, len(p.index))
}

// Join appends the rows of from to x, both of type Sparse.
func Join(x, from Storage) {
	p, o := x.(*sparseRows), from.(*sparseRows)
	base := len(p.index)
	p.index, p.value = append(p.index, o.index...), append(p.value, o.value...)
	for _, s := range o.start[1:] {
		p.start = append(p.start, base+s)
	}
}

func (p *sparseRows) Put(int, []int16) { panic("rows: sparse rows are filled by Append") }

func (p *sparseRows) matrix() kernel.SparseRows {
	return kernel.SparseRows{Start: p.start, Index: p.index, Value: p.value}
}

func (p *sparseRows) Count() int { return len(p.start) - 1 }

func (p *sparseRows) row(i int) ([]uint32, []int16) {
	return p.index[p.start[i]:p.start[i+1]], p.value[p.start[i]:p.start[i+1]]
}

func (p *sparseRows) norm2(i int) (n2 int64) {
	_, value := p.row(i)
	for _, v := range value {
		n2 += int64(v) * int64(v)
	}
	return n2
}

func (p *sparseRows) Norms2(dst []int64) {
	for i := range dst {
		dst[i] = p.norm2(i)
	}
}

func (p *sparseRows) Dots(dst []int64, m []int64, _ []int16) {
	dotAll(dst, p, m)
}

func (p *sparseRows) Read(i int, _ *Room) ([]uint32, []int16, []uint8) {
	index, value := p.row(i)
	return index, value, nil
}

func (p *sparseRows) Same(o Storage) bool {
	other, ok := o.(*sparseRows)
	return ok && sameMemory(p.start, other.start) && sameMemory(p.index, other.index) && sameMemory(p.value, other.value)
}

func (p *sparseRows) CopyRow(dst []int16, i int) {
	clear(dst[:p.dim])
	index, value := p.row(i)
	for k, j := range index {
		dst[j] = value[k]
	}
}

func (p *sparseRows) Part(first, n int) Storage {
	return &sparseRows{p.dim, p.start[first : first+n+1], p.index, p.value}
}

func (p *sparseRows) Take(to Storage, rows []int) Storage {
	return p.cleared(to).Extend(p, rows)
}

// cleared returns sparse rows without rows, in the memory of to.
func (p *sparseRows) cleared(to Storage) *sparseRows {
	out, reuse := to.(*sparseRows)
	if !reuse {
		out = &sparseRows{}
	}
	out.dim, out.start, out.index, out.value = p.dim, append(out.start[:0], 0), out.index[:0], out.value[:0]
	return out
}

func (p *sparseRows) Extend(o Storage, rows []int) Storage {
	from := o.(*sparseRows)
	for _, i := range rows {
		index, value := from.row(i)
		p.index, p.value = append(p.index, index...), append(p.value, value...)
		p.start = append(p.start, len(p.index))
	}
	return p
}

// Encode writes how many entries each row has, then all coordinates, then all integers.
func (p *sparseRows) Encode(dst []byte) ([]byte, int) {
	rows := p.Count()
	for i := range rows {
		dst = append(dst, kernel.Bytes([]uint32{uint32(p.start[i+1] - p.start[i])})...)
	}
	from, to := p.start[0], p.start[rows]
	dst = append(dst, kernel.Bytes(p.index[from:to])...)
	return append(dst, kernel.Bytes(p.value[from:to])...), to - from
}

func (p *sparseRows) Decode(to Storage, bytes []byte, rows, entries int) (Storage, error) {
	buffer, _ := to.(*sparseRows)
	if buffer == nil {
		buffer = &sparseRows{}
	}
	out, left := &sparseRows{dim: p.dim, start: append(buffer.start[:0], 0)}, entries
	for i, n := range kernel.View[uint32](bytes, 0, rows) {
		if left -= int(n); left < 0 {
			break
		}
		out.start = append(out.start, out.start[i]+int(n))
	}
	if left != 0 {
		return nil, damaged("a block has other entries than its table says")
	}
	out.index, out.value = kernel.View[uint32](bytes, 4*rows, entries), kernel.View[int16](bytes, 4*(rows+entries), entries)
	return out, out.check()
}

// Weigh puts the weights of one coordinate side by side.
func (p *sparseRows) Weigh(weights []float32, columns int, _ bool) Products {
	out := make([]float32, len(weights))
	for k := range columns {
		for j, w := range weights[k*p.dim : (k+1)*p.dim] {
			out[j*columns+k] = w
		}
	}
	return func(dst []float32, x Storage) { kernel.MarginsSparse(dst, x.(*sparseRows).matrix(), out, columns) }
}

func (p *sparseRows) AddWhole(whole, q []float64, columns int) {
	kernel.AddIntSparse(whole, p.matrix(), q, columns)
}

func (p *sparseRows) AddRow(total []int64, i int, q []int64) {
	index, value := p.row(i)
	for n, j := range index {
		for k, c := range q {
			total[k*p.dim+int(j)] += c * int64(value[n])
		}
	}
}

// Flush turns the sums. The sums of one coordinate stand side by side.
func (p *sparseRows) Flush(total []int64, whole []float64, columns int) {
	for j := range p.dim {
		for k := range columns {
			total[k*p.dim+j] += int64(whole[j*columns+k])
		}
	}
	clear(whole)
}

// check refuses coordinates that do not ascend within a row, or are beyond its end.
func (p *sparseRows) check() error {
	for i := range len(p.start) - 1 {
		index, _ := p.row(i)
		last := -1
		for _, j := range index {
			if int(j) <= last || int(j) >= p.dim {
				return fmt.Errorf("rows: a sparse row has coordinates out of order, want them ascending below %d", p.dim)
			}
			last = int(j)
		}
	}
	return nil
}

func (p *sparseRows) WeighColumns(weights []float32, columns int, rounded bool) Products {
	return byColumn(p.Weigh(weights, columns, rounded), columns)
}

func (p *sparseRows) AddColumns(whole, q []float64, columns int) {
	p.AddWhole(whole, byRow(q, p.Count(), columns), columns)
}
