package budget

import "github.com/ditherml/dither/privacy"

// spent are the exact sums of a ledger: of plans about all records and about each population.
//
// Under add-or-remove-one and zero-out neighbors differ in one person, who is in one population at most.
// Given the neighbors, plans about the other populations have the same outputs on both sides and cost
// nothing. So the cost is that of plans about all, and of the population that costs most.
//
// Under replace-one the new person may be in another population. Then one population loses a record, and
// another gains one: two plans' costs under add-or-remove-one add up. So each plan about a population is
// priced under both relations. Persons outside of all populations are one more, which costs nothing.
type spent struct {
	all   sums
	near  []sums // under the relation of the ledger
	moved []sums // under relationOfMoves; nil where nobody moves
}

func newSpent(t Terms, size int) *spent {
	s := &spent{all: newSums(size)}
	for range t.Populations {
		s.near = append(s.near, newSums(size))
		if t.Neighboring == privacy.ReplaceOne {
			s.moved = append(s.moved, newSums(size))
		}
	}
	return s
}

// Price is the amount that a plan adds to the sums of a ledger.
type Price struct {
	// Near is under the relation of the ledger. Moved is that of a person who leaves the population or
	// enters it: nil but for plans about a population under replace-one.
	Near, Moved []float64
}

// add adds a price of a population, -1 for all. It changes s in place, and take is its reverse.
func (s *spent) add(population int, p Price) {
	if population < 0 {
		s.all.add(p.Near)
		return
	}
	s.near[population].add(p.Near)
	if s.moved != nil {
		s.moved[population].add(p.Moved)
	}
}

func (s *spent) take(population int, p Price) {
	if population < 0 {
		s.all.sub(p.Near)
		return
	}
	s.near[population].sub(p.Near)
	if s.moved != nil {
		s.moved[population].sub(p.Moved)
	}
}

// cases calls do with the sums of each kind of neighbors, until it returns false.
func (s *spent) cases(do func(sums) bool) {
	if len(s.near) == 0 {
		do(s.all)
		return
	}
	for _, near := range s.near {
		if !do(s.all.plus(near)) {
			return
		}
	}
	for i, one := range s.moved {
		left := s.all.plus(one)
		if !do(left) {
			return
		}
		for _, other := range s.moved[i+1:] {
			if !do(left.plus(other)) {
				return
			}
		}
	}
}

// fits reports whether every kind of neighbors is within the capacity.
func (s *spent) fits(f filter) bool {
	within := true
	s.cases(func(sum sums) bool {
		within = f.fits(sum)
		return within
	})
	return within
}

// with reports whether s fits with one more price.
func (s *spent) with(population int, p Price, f filter) bool {
	s.add(population, p)
	defer s.take(population, p)
	return s.fits(f)
}

// share returns the largest part of the capacity over kinds of neighbors.
func (s *spent) share(f filter) float64 {
	most := 0.0
	s.cases(func(sum sums) bool {
		most = max(most, f.share(sum.floats()))
		return true
	})
	return most
}

// epsilon returns the largest epsilon over kinds of neighbors.
func (s *spent) epsilon(f filter) float64 {
	most := 0.0
	s.cases(func(sum sums) bool {
		most = max(most, f.epsilon(sum.floats()))
		return true
	})
	return most
}
