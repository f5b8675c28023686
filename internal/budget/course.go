package budget

// Standing is where a ledger stands.
type Standing struct {
	// Spent is the epsilon that all charges would prove, as in Summary.
	Spent float64
	// Share is the part of the capacity that is taken, for the neighbors for whom it is most.
	Share float64
}

// Standing returns where the ledger stands now.
func (b *Book) Standing() Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Standing{b.state.spent.epsilon(b.state.filter), b.state.spent.share(b.state.filter)}
}

// Before returns the number of releases before a record, and what all releases up to now prove.
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

// Course returns where the ledger stood after each of some releases. They are named by their places among the
// releases of Summary, which rise. What a stopped run gave back counts as never spent.
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
