package release

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// sparseRows keep, for each row, the coordinates that are not 0, ascending, and their integers.
type sparseRows struct {
	dim   int
	start []int // of each row, and the end
	index []uint32
	value []int16
}

// append adds a row. Coordinates ascend; integers that are 0 are left out.
func (p *sparseRows) append(index []uint32, v []float64, step float64) {
	for k, j := range index {
		if q := inside(math.Round(v[k]/step), -maxCoordinate, maxCoordinate); q != 0 {
			p.index = append(p.index, j)
			p.value = append(p.value, int16(q))
		}
	}
	p.start = append(p.start, len(p.index))
}

// join appends the rows of o.
func (p *sparseRows) join(o *sparseRows) {
	base := len(p.index)
	p.index, p.value = append(p.index, o.index...), append(p.value, o.value...)
	for _, s := range o.start[1:] {
		p.start = append(p.start, base+s)
	}
}

// put takes the coordinates of a dense row; it may only be called for the next row.
func (p *sparseRows) put(i int, v []float64, step float64, way func(float64) float64) {
	if i != len(p.start)-1 {
		panic("release: sparse rows are filled in order")
	}
	for j, f := range v {
		if q := inside(way(f/step), -maxCoordinate, maxCoordinate); q != 0 {
			p.index = append(p.index, uint32(j))
			p.value = append(p.value, int16(q))
		}
	}
	p.start = append(p.start, len(p.index))
}

func (p *sparseRows) matrix() kernel.SparseRows {
	return kernel.SparseRows{Start: p.start, Index: p.index, Value: p.value}
}

func (p *sparseRows) count() int { return len(p.start) - 1 }

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

func (p *sparseRows) norms2(dst []int64) {
	for i := range dst {
		dst[i] = p.norm2(i)
	}
}

func (p *sparseRows) dots(dst []int64, m []int64, _ []int16) {
	dotAll(dst, p, m)
}

func (p *sparseRows) read(i int, _ *room) ([]uint32, []int16, []uint8) {
	index, value := p.row(i)
	return index, value, nil
}

func (p *sparseRows) same(o storage) bool {
	other, ok := o.(*sparseRows)
	return ok && sameMemory(p.start, other.start) && sameMemory(p.index, other.index) && sameMemory(p.value, other.value)
}

func (p *sparseRows) copyRow(dst []int16, i int) {
	clear(dst[:p.dim])
	index, value := p.row(i)
	for k, j := range index {
		dst[j] = value[k]
	}
}

func (p *sparseRows) part(first, n int) storage {
	return &sparseRows{p.dim, p.start[first : first+n+1], p.index, p.value}
}

func (p *sparseRows) take(to storage, rows []int) storage {
	return p.cleared(to).extend(p, rows)
}

// cleared returns sparse rows without rows, in the memory of to.
func (p *sparseRows) cleared(to storage) *sparseRows {
	out, reuse := to.(*sparseRows)
	if !reuse {
		out = &sparseRows{}
	}
	out.dim, out.start, out.index, out.value = p.dim, append(out.start[:0], 0), out.index[:0], out.value[:0]
	return out
}

func (p *sparseRows) extend(o storage, rows []int) storage {
	from := o.(*sparseRows)
	for _, i := range rows {
		index, value := from.row(i)
		p.index, p.value = append(p.index, index...), append(p.value, value...)
		p.start = append(p.start, len(p.index))
	}
	return p
}

// encode writes how many entries each row has, then all coordinates, then all integers.
func (p *sparseRows) encode(dst []byte) ([]byte, int) {
	rows := p.count()
	for i := range rows {
		dst = append(dst, kernel.Bytes([]uint32{uint32(p.start[i+1] - p.start[i])})...)
	}
	from, to := p.start[0], p.start[rows]
	dst = append(dst, kernel.Bytes(p.index[from:to])...)
	return append(dst, kernel.Bytes(p.value[from:to])...), to - from
}

func (p *sparseRows) decode(to storage, bytes []byte, rows, entries int) (storage, error) {
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
		return nil, errDamaged("a block has other entries than its table says")
	}
	out.index, out.value = kernel.View[uint32](bytes, 4*rows, entries), kernel.View[int16](bytes, 4*(rows+entries), entries)
	return out, out.check()
}

// weigh puts the weights of one coordinate side by side.
func (p *sparseRows) weigh(weights []float32, columns int, _ bool) products {
	out := make([]float32, len(weights))
	for k := range columns {
		for j, w := range weights[k*p.dim : (k+1)*p.dim] {
			out[j*columns+k] = w
		}
	}
	return func(dst []float32, x storage) { kernel.MarginsSparse(dst, x.(*sparseRows).matrix(), out, columns) }
}

func (p *sparseRows) addWhole(whole, q []float64, columns int) {
	kernel.AddIntSparse(whole, p.matrix(), q, columns)
}

func (p *sparseRows) addRow(total []int64, i int, q []int64) {
	index, value := p.row(i)
	for n, j := range index {
		for k, c := range q {
			total[k*p.dim+int(j)] += c * int64(value[n])
		}
	}
}

// flush turns the sums. The sums of one coordinate stand side by side.
func (p *sparseRows) flush(total []int64, whole []float64, columns int) {
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
				return fmt.Errorf("release: a sparse row has coordinates out of order, want them ascending below %d", p.dim)
			}
			last = int(j)
		}
	}
	return nil
}

func (p *sparseRows) weighColumns(weights []float32, columns int, rounded bool) products {
	return byColumn(p.weigh(weights, columns, rounded), columns)
}

func (p *sparseRows) addColumns(whole, q []float64, columns int) {
	p.addWhole(whole, byRow(q, p.count(), columns), columns)
}
