package budget

// Standing states how much of a ledger is spent.
type Standing struct {
	// Spent is the epsilon that follows from all charges, as in Summary.
	Spent float64
	// Share is the used part of the capacity. It is the largest such part over the kinds of
	// neighbors that the ledger protects.
	Share float64
}

// Standing returns how much of the ledger is spent now.
func (b *Book) Standing() Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Standing{b.state.spent.epsilon(b.state.filter), b.state.spent.share(b.state.filter)}
}

// Before returns the number of releases before a record, and the epsilon that followed from all
// charges when the record had been written. Neither depends on what came later: what a run gave back
// after the record counts as spent.
func (b *Book) Before(record uint64) (others int, spent float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := newSpent(b.state.terms, b.state.filter.size())
	for _, h := range b.state.list {
		if h.Seq > record {
			break
		}
		if h.Seq < record {
			others++
		}
		price := h.plan.price
		if h.settled != 0 && h.settled <= record {
			price = h.price
		}
		s.add(h.plan.population, price)
	}
	return others, s.epsilon(b.state.filter)
}

// Course returns how much of the ledger was spent after each of several releases. The argument
// places has their indices in the releases of Summary, ascending. What a stopped run gave back
// counts as never spent.
func (b *Book) Course(places []int) []Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, at, f := newSpent(b.state.terms, b.state.filter.size()), 0, b.state.filter
	out := make([]Standing, len(places))
	for i, place := range places {
		for ; at <= place && at < len(b.state.list); at++ {
			h := b.state.list[at]
			s.add(h.plan.population, h.price)
		}
		out[i] = Standing{s.epsilon(f), s.share(f)}
	}
	return out
}
