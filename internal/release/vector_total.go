package release

import (
	"fmt"
	"slices"
)

// vectorTotal is a checked sum of vectors on a grid, one for each record.
type vectorTotal struct {
	seenSet
	grid  grid
	limit int64 // the largest norm of one vector
	total []int64
	check vectorCheck
}

// newVectorTotal returns an empty sum of vectors of dim numbers.
func newVectorTotal(s Sample, g grid, limit int64, dim int) vectorTotal {
	return vectorTotal{newSeenSet(s), g, limit, make([]int64, dim), newVectorCheck(dim)}
}

// alike returns an empty sum of the same kind, which is merged with s.
func (s *vectorTotal) alike() vectorTotal {
	return vectorTotal{newSeenSet(s.sample), s.grid, s.limit, make([]int64, len(s.total)), s.check.alike()}
}

// add adds the vectors of n records, as round writes them to q. The records are those that are
// listed or, without a list, first, first+1, …. On an error of the arguments it adds nothing.
func (s *vectorTotal) add(first int, records []int, n int, vectors []float64, round func(q []int64, v []float64)) error {
	dim := len(s.total)
	if len(vectors) != n*dim || s.sealed {
		return fmt.Errorf("release: vectors have %d numbers, want %d a record, before the sum is sealed", len(vectors), dim)
	}
	if err := s.mark(first, records, n); err != nil {
		return err
	}
	q := make([]int64, dim)
	for i := range n {
		round(q, vectors[i*dim:(i+1)*dim])
		if err := s.check.admit(q, s.grid.norm, s.limit); err != nil {
			return err
		}
		for j, v := range q {
			s.total[j] += v
		}
	}
	return nil
}

// take adds the records of o and empties o, which is of the same kind.
func (s *vectorTotal) take(o *vectorTotal) error {
	if err := s.merge(&o.seenSet); err != nil {
		return err
	}
	s.check.merge(&o.check, o.total)
	addTo(s.total, o.total)
	return nil
}

// end ends the sum. It returns the integers, and reports whether they are what was noted. A copy of
// s that still adds does not change them.
func (s *vectorTotal) end() (values []int64, right bool) {
	s.sealed = true
	values = slices.Clone(s.total)
	return values, s.check.agrees(values)
}
