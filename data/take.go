package data

// Take returns a new data set of the rows with these indices, in the given order. An index may
// occur several times. The result shares no memory with d except the levels that Group returns.
func (d *Dataset) Take(rows []int) *Dataset {
	s := *d
	s.records = len(rows)
	s.columns = make([][]float32, len(d.columns))
	for j, column := range d.columns {
		s.columns[j] = taken(column, rows)
	}
	s.sparse = d.sparse.take(rows)
	s.target, s.dropped = taken(d.target, rows), taken(d.dropped, rows)
	s.groups = make(map[string]group, len(d.groups))
	for name, g := range d.groups {
		s.groups[name] = group{taken(g.codes, rows), g.levels}
	}
	return &s
}

// taken returns the elements with these numbers, or nil if from is nil.
func taken[T any](from []T, rows []int) []T {
	if from == nil {
		return nil
	}
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = from[i]
	}
	return out
}

func (e *entries) take(rows []int) *entries {
	if e == nil {
		return nil
	}
	s := *e
	s.start, s.column, s.value = []int{0}, nil, nil
	for _, i := range rows {
		columns, values := e.cells(i)
		s.column, s.value = append(s.column, columns...), append(s.value, values...)
		s.start = append(s.start, len(s.column))
	}
	return &s
}
