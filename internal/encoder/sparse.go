package encoder

// Sparse encodes records with only some cells given. Each other cell has the value of its column,
// as in a sparse data.Dataset. It is immutable.
type Sparse struct {
	encoder  *Encoder
	defaults []standing
}

// standing is the feature that is not 0 where a column has no cell.
type standing struct {
	column, at uint32
	x          float64
}

// Sparse returns the encoder of records that have the value absent[j] in column j where they have
// no cell. absent has one value for each value of a row, as Dataset.Absent returns them.
func (e *Encoder) Sparse(absent []float32) *Sparse {
	s := &Sparse{encoder: e}
	for j := range e.columns {
		start := uint32(j)
		if e.starts != nil {
			start = e.starts[j]
		}
		if c := &e.columns[j]; c.buckets > 0 {
			for b := 0; c.tokens && b < c.buckets; b++ { // an empty bucket is 0, but an empty position is not
				s.defaults = append(s.defaults, standing{start + uint32(b), uint32(c.first + b), -1})
			}
			continue
		}
		if at, x := e.columns[j].entry(float64(absent[start])); at >= 0 {
			s.defaults = append(s.defaults, standing{start, uint32(at), x})
		}
	}
	return s
}

// Defaults returns the number of columns that have a feature other than 0 where there is no cell.
// Each adds an entry to every record.
func (s *Sparse) Defaults() int { return len(s.defaults) }

// Entries appends the features of one record that are not 0, in ascending order, to index and x and
// returns them. columns are the positions of the record's cells in its row, ascending, and values
// their values, as Dataset.Cells returns both. The result is that of Encoder.Entries for the whole
// row. The time is proportional to the cells and Defaults.
func (s *Sparse) Entries(columns []uint32, values []float32, index []uint32, x []float64) ([]uint32, []float64) {
	rest, column := s.defaults, 0
	for k, j := range columns {
		for len(rest) > 0 && rest[0].column < j {
			index, x, rest = append(index, rest[0].at), append(x, rest[0].x), rest[1:]
		}
		if len(rest) > 0 && rest[0].column == j {
			rest = rest[1:]
		}
		var bucket int
		column, bucket = s.encoder.columnOf(j, column)
		if at, v := s.encoder.columns[column].entryAt(bucket, float64(values[k])); at >= 0 {
			index, x = append(index, uint32(at)), append(x, v)
		}
	}
	for _, d := range rest {
		index, x = append(index, d.at), append(x, d.x)
	}
	return index, x
}
