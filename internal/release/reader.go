package release

// integers are rows that are read one at a time: what entering asks of storage.
type integers interface {
	// Read returns the integers of row i: all of them, as bytes or as values without coordinates,
	// or those that are not 0 with their coordinates, which ascend. They may stand in the room.
	Read(i int, own *room) (index []uint32, values []int16, bytes []uint8)
}

// reader reads rows one at a time. It copies a row once, and all that it computes is of the copy.
// So rows that change meanwhile are no danger.
type reader struct {
	lent   room     // lent to storage; it holds nothing of the secret
	row    room     // a copy of the row that was read last, but for its bytes
	bytes  []uint8  // of that row
	secret []uint64 // the numbers of the secret at the coordinates of a sparse row
}

// mix reads row i and returns its squared norm and its product with the secret r, as long as the
// row. The product is notEntered where coordinates do not ascend below that length.
func (own *reader) mix(x integers, i int, r []uint64) (square int64, mix uint64) {
	index, values, bytes := x.Read(i, &own.lent)
	own.row.Index, own.row.Values = append(own.row.Index[:0], index...), append(own.row.Values[:0], values...)
	own.bytes = append(own.bytes[:0], bytes...)
	return own.mixRow(r)
}

// mixRow is mix for the row that was read last.
func (own *reader) mixRow(r []uint64) (square int64, mix uint64) {
	index, values, bytes := own.row.Index, own.row.Values, own.bytes
	switch {
	case index == nil && values == nil && len(bytes) == len(r):
		return mixWhole(bytes, r)
	case index == nil && bytes == nil && len(values) == len(r):
		return mixWhole(values, r)
	case len(index) != len(values) || bytes != nil:
		return 0, notEntered
	}
	own.secret = grow(own.secret, len(index))
	least := 0
	for k, j := range index {
		if int(j) < least || int(j) >= len(r) {
			return 0, notEntered
		}
		own.secret[k], least = r[j], int(j)+1
	}
	return mixWhole(values, own.secret)
}

// dot returns Σ x·m modulo 2^64 of the row that was read last, or 0 where there is no m.
func (own *reader) dot(m []int64) (sum int64) {
	if m == nil {
		return 0
	}
	for j, v := range own.bytes {
		sum += int64(v) * m[j]
	}
	if own.row.Index == nil {
		for j, v := range own.row.Values {
			sum += int64(v) * m[j]
		}
	}
	for k, j := range own.row.Index {
		sum += int64(own.row.Values[k]) * m[j]
	}
	return sum
}
