package release

// measures are what the frame makes of rows: what their records' proposals are verified with.
type measures struct {
	n2          []int64
	multipliers []float32 // nil: frame.unit
	betas       []int32   // nil: 1
	tails       []int32   // nil: there is no intercept
}

// newMeasures returns room for the measures of n rows, in the memory of old if there is enough.
func (f frame) newMeasures(n int, old measures) measures {
	m := measures{n2: grow(old.n2, n)}
	if f.Normalize != NormalizeNone {
		m.multipliers = grow(old.multipliers, n)
	}
	if f.m != nil && f.Normalize != NormalizeNone {
		m.betas = grow(old.betas, n)
	}
	if f.Intercept > 0 {
		m.tails = grow(old.tails, n)
	}
	return m
}

// set keeps the measures of row i.
func (m *measures) set(i int, v rowMeasures) {
	m.n2[i] = v.n2
	if m.multipliers != nil {
		m.multipliers[i] = float32(v.multiplier)
	}
	if m.betas != nil {
		m.betas[i] = int32(v.beta)
	}
	if m.tails != nil {
		m.tails[i] = int32(v.tail)
	}
}

// part returns the measures of n rows from first on.
func (m *measures) part(first, n int) measures {
	return measures{piece(m.n2, first, n), piece(m.multipliers, first, n), piece(m.betas, first, n), piece(m.tails, first, n)}
}

// piece returns n entries from first on; of nil, nil.
func piece[T any](s []T, first, n int) []T {
	if s == nil {
		return nil
	}
	return s[first : first+n]
}

// pick copies the measures of the rows of o that are listed; o begins at row first.
func (m *measures) pick(o measures, rows []int, first int) {
	pick(m.n2, o.n2, rows, first)
	pick(m.multipliers, o.multipliers, rows, first)
	pick(m.betas, o.betas, rows, first)
	pick(m.tails, o.tails, rows, first)
}

// pick copies the entries of from that are listed to dst, unless dst is nil; from begins at number
// first.
func pick[T any](dst, from []T, listed []int, first int) {
	if dst == nil {
		return
	}
	for k, i := range listed {
		dst[k] = from[i-first]
	}
}

// beta is β of row i.
func (m *measures) beta(i int) int64 {
	if m.betas == nil {
		return 1
	}
	return int64(m.betas[i])
}

// tail is the intercept of row i.
func (m *measures) tail(i int) int64 {
	if m.tails == nil {
		return 0
	}
	return int64(m.tails[i])
}

// multiplier is what one of the integers of row i stands for.
func (m *measures) multiplier(i int, f *frame) float64 {
	if m.multipliers == nil {
		return f.unit
	}
	return float64(m.multipliers[i])
}

// says reports whether the measures of row i are these.
func (m *measures) says(i int, v rowMeasures) bool {
	return m.n2[i] == v.n2 && (m.betas == nil || int64(m.betas[i]) == v.beta) && (m.tails == nil || int64(m.tails[i]) == v.tail) &&
		(m.multipliers == nil || m.multipliers[i] == float32(v.multiplier))
}
