package related

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// Rows holds the rows of persons. Of each person it holds fewer than twice the rows that are kept. A
// row takes 4 bytes for each cell, 8 bytes and, under KeepRandom, another 8 bytes.
type Rows struct {
	name    string
	keep    Keep
	maxRows int
	width   int
	persons [][]int32 // the rows of each person
	cells   []float32 // of all rows, width for each
	order   []int32   // of each row, a position in orders plus 1, or 0 for a missing cell
	hashes  []uint64  // of each row, under KeepRandom
	free    []int32   // rows that are not used any more
	orders  []Order
}

// New returns no rows. Each row will have width cells. At most maxRows rows of each person are kept.
// The choice of KeepRandom depends on the name of the table.
func New(name string, keep Keep, maxRows, width int) *Rows {
	return &Rows{name: name, keep: keep, maxRows: maxRows, width: width}
}

// Orders adds the cells by which rows are ordered, numbered as they are added.
func (r *Rows) Orders(texts []string) {
	for _, text := range texts[len(r.orders):] {
		r.orders = append(r.orders, NewOrder(text))
	}
}

// Add adds a row of a person, who has a key. The argument order is the number of a cell that Orders
// was given, or -1 for a missing cell.
func (r *Rows) Add(person int, key string, order int32, cells []float32) {
	for len(r.persons) <= person {
		r.persons = append(r.persons, nil)
	}
	at := int32(len(r.order))
	if last := len(r.free) - 1; last >= 0 {
		at, r.free = r.free[last], r.free[:last]
		copy(r.row(at), cells)
		r.order[at] = order + 1
	} else {
		r.cells, r.order = append(r.cells, cells...), append(r.order, order+1)
		if r.keep == KeepRandom {
			r.hashes = append(r.hashes, 0)
		}
	}
	if r.keep == KeepRandom {
		r.hashes[at] = r.hash(key, at)
	}
	rows := append(r.persons[person], at)
	if len(rows) >= 2*r.maxRows {
		r.prune(&rows)
	}
	r.persons[person] = rows
}

// prune leaves out the rows that are not kept.
func (r *Rows) prune(rows *[]int32) {
	slices.SortFunc(*rows, r.preference)
	n := min(len(*rows), r.maxRows)
	r.free = append(r.free, (*rows)[n:]...)
	*rows = (*rows)[:n]
}

func (r *Rows) row(at int32) []float32 {
	return r.cells[int(at)*r.width : (int(at)+1)*r.width]
}

func (r *Rows) orderOf(at int32) Order {
	if r.order[at] == 0 {
		return Order{}
	}
	return r.orders[r.order[at]-1]
}

// compare compares two rows of a person: by the order, then by the cells.
func (r *Rows) compare(a, b int32) int {
	return cmp.Or(r.orderOf(a).compare(r.orderOf(b)), compareCells(r.row(a), r.row(b)))
}

// preference compares two rows of a person so that the rows to keep come first.
func (r *Rows) preference(a, b int32) int {
	switch r.keep {
	case KeepFirst:
		return r.compare(a, b)
	case KeepRandom:
		return cmp.Or(cmp.Compare(r.hashes[a], r.hashes[b]), r.compare(a, b))
	}
	return r.compare(b, a)
}

// hash returns a hash of a row and the key of its person. The number of the row is no part of it.
func (r *Rows) hash(key string, at int32) uint64 {
	h := sha256.New()
	o := r.orderOf(at)
	for _, text := range []string{"dither related rows v1", r.name, key, o.text} {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(text)))) // never fails
		_, _ = io.WriteString(h, text)
	}
	numbers := binary.LittleEndian.AppendUint64([]byte{o.kind}, math.Float64bits(o.number+0))
	for _, v := range r.row(at) {
		numbers = binary.LittleEndian.AppendUint32(numbers, math.Float32bits(v))
	}
	_, _ = h.Write(numbers)
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// Values writes the features of a person to dst, one for each of features. NaN is a feature of no
// row: every aggregate except Count and Sum has none if no row of the person has a cell in its
// column. A person that has no row may have any number that Add was not given, such as -1.
func (r *Rows) Values(dst []float64, person int, features []Feature) {
	var rows []int32
	if person >= 0 && person < len(r.persons) {
		rows = slices.Clone(r.persons[person])
		if len(rows) > r.maxRows {
			slices.SortFunc(rows, r.preference)
			rows = rows[:r.maxRows]
		}
		slices.SortFunc(rows, r.compare) // sums of floating-point numbers depend on the order
	}
	for i, f := range features {
		dst[i] = r.value(rows, f)
	}
}

// value returns a feature of ordered rows.
func (r *Rows) value(rows []int32, f Feature) float64 {
	if f.Aggregate == Count && f.Column < 0 {
		return float64(len(rows))
	}
	n, sum, least, most := 0, 0.0, math.Inf(1), math.Inf(-1)
	first, last, equal := math.NaN(), math.NaN(), 0
	for _, at := range rows {
		cell := r.row(at)[f.Column]
		v := float64(cell)
		if v != v {
			continue
		}
		if n == 0 {
			first = v
		}
		if cell == f.Level {
			equal++
		}
		n, sum, least, most, last = n+1, sum+v, min(least, v), max(most, v), v
	}
	switch {
	case f.Aggregate == Count:
		return float64(equal)
	case f.Aggregate == Sum:
		return sum
	case n == 0:
		return math.NaN()
	}
	switch f.Aggregate {
	case Mean:
		return sum / float64(n)
	case Min:
		return least
	case Max:
		return most
	case First:
		return first
	}
	return last
}
