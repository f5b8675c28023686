package sample

// Poisson appends to dst the indices below records that are taken, ascending, each
// independently with probability threshold/2^64, exactly: 8 bits are compared with the
// threshold's first 8, and 56 more are drawn only on a tie.
func (s *Stream) Poisson(dst []int, records int, threshold uint64) []int {
	const chunk = 8
	head, tail := threshold>>(64-chunk), threshold&(1<<(64-chunk)-1)
	for first := 0; first < records; {
		word, passed := s.wordAtMost(head, (records-first+7)/8)
		first += 8 * passed
		for i := first; i < min(records, first+64/chunk); i++ {
			u := word & (1<<chunk - 1)
			word >>= chunk
			if u < head || u == head && s.Word()>>chunk < tail {
				dst = append(dst, i)
			}
		}
		first += 64 / chunk
	}
	s.forget()
	return dst
}

// wordAtMost returns the next word that may have a byte of at most head. It also returns the number
// of words before it, which have no such byte. It reads no more words than are given, and returns 0
// and their number where none of them may.
func (s *Stream) wordAtMost(head uint64, words int) (word uint64, passed int) {
	for ; passed < words; passed++ {
		if word = s.Word(); !allAbove(word, head) {
			return word, passed
		}
	}
	return 0, passed
}

// allAbove reports, for heads below 128, that no byte of a word is at most head, and may else
// report false. The lowest byte that is at most head has none below it that borrows: its difference
// with head+1 is negative and sets its highest bit, which the byte itself has not.
func allAbove(word, head uint64) bool {
	const each = 0x0101010101010101
	return head < 128 && (word-(head+1)*each)&^word&(0x80*each) == 0
}
