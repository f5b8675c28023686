package mechanism

import "math/bits"

// A ProductSum is checked as a Sum is (check.go), with a secret of two sides: a block of its parameters is a matrix, whose
// product with a vector of the secret on either side is a number modulo the prime. docs/release.md has the proof (lemma 17).

// productSecret is what one block is mixed with.
type productSecret struct{ left, right []uint64 }

// productSecrets returns vectors of their own for each block.
func productSecrets(blocks []ProductBlock) []productSecret {
	n := 0
	for _, b := range blocks {
		n += b.width() + b.Right
	}
	all, out := secretOf(n), make([]productSecret, len(blocks))
	for k, b := range blocks {
		out[k], all = productSecret{all[:b.width()], all[b.width() : b.width()+b.Right]}, all[b.width()+b.Right:]
	}
	return out
}

// admit holds that what the i-th record adds is within the bound, in portable code, and notes it.
func (s *ProductSum) admit(i int) {
	var norm square
	for k := range s.parts {
		mix, fits := s.parts[k].admit(&norm, i, s.secrets[k])
		s.mix, s.faulty = residue(s.mix+mix), s.faulty || !fits
	}
	s.faulty = s.faulty || !norm.within(s.grid.bound)
}

// admit adds the squared norm of what the i-th record adds to the block. It returns its product with the secret, and whether
// its numbers are as small as those of any record.
func (p *productPart) admit(norm *square, i int, r productSecret) (mix uint64, fits bool) {
	width := p.width()
	switch {
	case p.single():
		left, leftMix := mixWhole(p.lefts[i*width:(i+1)*width], r.left)
		right, rightMix := mixWhole(p.rights[i*p.Right:(i+1)*p.Right], r.right)
		norm.add(uint64(left), uint64(right))
		return timesResidue(int64(leftMix), rightMix), true
	case p.Sparse:
		for k, v := range p.tokens {
			row := p.own[k*p.Right : (k+1)*p.Right]
			// Each token comes once, so that the norm is that of the sum of its rows.
			if k > 0 && v <= p.tokens[k-1] || !norm.addLong(row) {
				return 0, false
			}
			mix = residue(mix + timesResidue(int64(r.left[v]), mixLong(row, r.right)))
		}
		return mix, true
	}
	return mixMatrix(p.own, r.left, r.right), norm.addLong(p.own)
}

// maxOwn bounds the numbers of a record's contribution: at most 2^20 products below 2^23. At most 2^31 of their squares have
// a sum below 2^127.
const maxOwn = 1 << 43

// addLong adds the squares of numbers, and reports whether all are at most maxOwn in magnitude.
func (s *square) addLong(v []int64) bool {
	most := uint64(0)
	for _, w := range v {
		u := uint64(max(w, -w))
		most = max(most, u)
		s.addWide(bits.Mul64(u, u))
	}
	return most <= maxOwn
}

// mixMatrix returns rightᵀ·m·left modulo the prime, for a matrix of right × left numbers below 2^60, row after row.
func mixMatrix(m []int64, left, right []uint64) (mix uint64) {
	for j, r := range right {
		mix = residue(mix + timesResidue(int64(r), mixLong(m[j*len(left):(j+1)*len(left)], left)))
	}
	return mix
}

// agrees reports whether the integers of the sum have the product with the secret that was noted.
func (s *ProductSum) agrees() bool {
	if s.faulty || !short(s.total) {
		return false
	}
	mix, at := uint64(0), 0
	for k, b := range s.blocks {
		m, r := s.total[at:at+b.Numbers()], s.secrets[k]
		if b.Sparse {
			r.left, r.right = r.right, r.left // Left × Right
		}
		mix = residue(mix + mixMatrix(m, r.left, r.right))
		at += b.Numbers()
	}
	return mix == s.mix
}
