package sample

// Poisson appends to dst the indices below records that are taken, ascending, each
// independently with probability threshold/2^64, exactly: 16 bits are compared with the
// threshold's first 16, and 48 more are drawn only on a tie.
func (s *Stream) Poisson(dst []int, records int, threshold uint64) []int {
	const chunk = 16
	head, tail := threshold>>(64-chunk), threshold&(1<<(64-chunk)-1)
	for first := 0; first < records; first += 64 / chunk {
		word := s.Word()
		for i := first; i < min(records, first+64/chunk); i++ {
			u := word & (1<<chunk - 1)
			word >>= chunk
			if u < head || u == head && s.Word()>>chunk < tail {
				dst = append(dst, i)
			}
		}
	}
	s.forget()
	return dst
}
