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

// Before returns the number of releases before a record, and the epsilon that follows from all
// releases up to now.
func (b *Book) Before(record uint64) (others int, spent float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.state.list {
		if h.Seq < record {
			others++
		}
	}
	return others, b.state.spent.epsilon(b.state.filter)
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
