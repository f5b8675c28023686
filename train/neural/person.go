package neural

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
)

// If a record is a person, the gradients of the person's rows are summed, and the sum is clipped
// once. A network gives the gradient of a row in factors, one pair for each position, and the
// gradient is the sum of their outer products. So the sum over a person's rows has the factors of
// all rows, as one record with more positions. Norms, clipping rules and package internal/release
// then treat a person as they treat any record with several positions.

// maxFactors bounds the positions of a person in one block, as internal/release does.
const maxFactors = 1 << 20

// validatePerson refuses a unit that makes no sense, or that has no proof with other settings.
func (p Plan) validatePerson() error {
	u := p.Person
	if u == nil {
		return nil
	}
	positions := positionsOf(p.Network.Layers, p.Network.Input)
	most := maxFactors / positions
	switch {
	case u.Column == "" || u.MaxRows < 1 || u.MaxRows > most:
		return fmt.Errorf("neural: person is column %q with at most %d rows, want a column of the schema and 1 to %d rows; the network has up to %d positions in a row", u.Column, u.MaxRows, most, positions)
	case p.Unit != pick.Unit(u.Column, u.MaxRows) || p.RowsPerPerson != 0:
		return fmt.Errorf("neural: the unit is %q with %d rows of a person, want %q and no further rows", p.Unit, p.RowsPerPerson, pick.Unit(u.Column, u.MaxRows))
	case p.Sampling.Kind == option.SamplingFixedSize:
		return fmt.Errorf("neural: batches of fixed size are asked for with persons as records, want another sampling; the number of persons is not declared")
	}
	return nil
}

// positionsOf returns an upper bound on the positions of a row in any block of the layers. Every
// entry of a sparse block may become a position.
func positionsOf(layers network.Layers, in network.Shape) int {
	most := 1
	for _, layer := range layers {
		alone, err := network.New(in, layer)
		if err != nil {
			return most // validateModel refuses it
		}
		most = max(most, in.Positions(), alone.Output().Positions())
		for _, b := range alone.Blocks() {
			if b.Sparse {
				most = max(most, in.Size())
			}
		}
		if l, nested := layer.(network.Residual); nested {
			most = max(most, positionsOf(l.Layers, in))
		}
		in = alone.Output()
	}
	return most
}

// countsRecords reports whether training releases a noisy number of records. A declared number is
// one of rows, and says nothing about the number of persons.
func (p Plan) countsRecords() bool { return p.Records == 0 || p.Person != nil }

// unitOf returns the words for one record; row is the words for one row. It also returns the number
// of rows that one person has, as declared. That number is 0 if a record is all rows of a person.
func unitOf(u *train.PersonUnit, row string, rows int) (string, int) {
	if u == nil {
		return row, rows
	}
	return pick.Unit(u.Column, u.MaxRows), 0
}

// persons returns the used rows of each person of a data set. It returns nil if a record is a row.
func (p Plan) persons(d *data.Dataset) ([][]int, error) {
	if p.Person == nil {
		return nil, nil
	}
	codes, known, err := d.Texts(p.Person.Column)
	if err != nil {
		return nil, fmt.Errorf("neural: the column of persons: %w", err)
	}
	if persons := pick.PersonsOf(codes, len(known), p.Person.MaxRows, nil); persons != nil {
		return persons, nil
	}
	return [][]int{}, nil
}

// records returns the number of records: of rows or of persons.
func (r *run) records() int {
	if r.persons != nil {
		return len(r.persons)
	}
	return r.rows.Len()
}

// rowsOf returns the number of rows of a record.
func (r *run) rowsOf(record int) int {
	if r.persons != nil {
		return len(r.persons[record])
	}
	return 1
}

// parts divides records into parts for goroutines. The records of a part have equally many rows and
// ascend. A part has at most this number of rows, or one record.
func (r *run) parts(records []int, rows int) [][]int {
	if r.persons != nil {
		records = slices.Clone(records)
		slices.SortStableFunc(records, func(a, b int) int { return r.rowsOf(a) - r.rowsOf(b) })
	}
	var out [][]int
	for len(records) > 0 {
		each, n := r.rowsOf(records[0]), 1
		for n < len(records) && (n+1)*each <= rows && r.rowsOf(records[n]) == each {
			n++
		}
		out, records = append(out, records[:n]), records[n:]
	}
	return out
}

// largest returns the number of rows that a goroutine must be able to process at a time: a chunk,
// or the rows of one person.
func (r *run) largest(chunk int) int {
	for _, rows := range r.persons {
		chunk = max(chunk, len(rows))
	}
	return chunk
}

// rowsOfAll lists the rows of records, record after record.
func (w *worker) rowsOfAll(records []int) []int {
	if w.persons == nil {
		return records
	}
	w.indices = w.indices[:0]
	for _, record := range records {
		w.indices = append(w.indices, w.persons[record]...)
	}
	return w.indices
}

// together returns the factors of records from the factors of their rows, record after record. Every
// record has the same number of rows. The result for a block shares memory with the block's factors,
// except for bags of entries.
func (w *worker) together(factors []kernel.Factors[float32], records int) []kernel.Factors[float32] {
	if w.persons == nil || records == 0 || factors[0].Records == records {
		return factors
	}
	out, blocks := make([]kernel.Factors[float32], len(factors)), w.Network.Blocks()
	for k, f := range factors {
		each := f.Records / records
		if blocks[k].Sparse && f.Entries != 1 {
			f = w.spread(f, k)
		}
		f.Records, f.Positions = records, each*f.Positions
		out[k] = f
	}
	return out
}

// spread returns the same factors with a position for each entry of a bag. The right factor of a
// row is repeated for its entries. A row without entries gets one that adds nothing.
func (w *worker) spread(f kernel.Factors[float32], block int) kernel.Factors[float32] {
	if f.Entries == 0 {
		f.Index, f.Values = slices.Repeat([]uint32{kernel.NoIndex}, f.Records), nil
		f.Entries = 1
		return f
	}
	rights := w.spreads[block][:0]
	for row := range f.Records {
		for range f.Entries {
			rights = append(rights, f.Rights[row*f.Right:(row+1)*f.Right]...)
		}
	}
	w.spreads[block] = rights
	f.Rights, f.Positions, f.Entries = rights, f.Entries, 1
	return f
}
