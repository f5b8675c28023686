package release

// A ProductSum is checked as a Sum is (check.go), with a secret of two sides: a block of its
// parameters is a matrix, whose product with a vector of the secret on either side is a number
// modulo the prime. Lemma 19 of docs/release-parts.md has the proof.

// productSecret is what one block is mixed with.
type productSecret struct {
	left, right []uint64
}

// productSecrets returns vectors of their own for each block.
func productSecrets(blocks []ProductBlock) []productSecret {
	out := make([]productSecret, len(blocks))
	for k, b := range blocks {
		out[k] = productSecret{left: uniform(b.width()), right: uniform(b.Right)}
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

// admit adds the squared norm of what the i-th record adds to the block. It returns its product
// with the secret. The result fits is false if a number is too large for any record, or if a kernel
// measured the left factor wrongly.
func (p *productPart) admit(norm *square, i int, r productSecret) (mix uint64, fits bool) {
	width := p.width()
	switch {
	case p.single():
		left, leftMix := mixWhole(p.lefts[i*width:(i+1)*width], r.left)
		right, rightMix := mixWhole(p.rights[i*p.Right:(i+1)*p.Right], r.right)
		norm.add(uint64(left), uint64(right))
		return timesResidue(int64(leftMix), rightMix), left == p.squares[i]
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
	mix = mixMatrix(p.own, r.left, r.right)
	return mix, norm.addLong(p.own) && mix == p.mixPositions(i, r)
}

// mixPositions returns the product of the dense i-th record's contribution with the secret, from
// the integers of both sides. It is Σ_t (r₁·right_t)(r₂·left_t) modulo the prime, over its
// positions t.
func (p *productPart) mixPositions(i int, r productSecret) (mix uint64) {
	n, width := p.factors.Positions, p.width()
	lefts, rights := p.lefts[i*n*width:(i+1)*n*width], p.rights[i*n*p.Right:(i+1)*n*p.Right]
	for t := range n {
		if right := mixShort(rights[t*p.Right:(t+1)*p.Right], r.right); right != 0 {
			left := mixShort(lefts[t*width:(t+1)*width], r.left)
			mix = residue(mix + timesResidue(int64(right), left))
		}
	}
	return mix
}

// mixShort returns Σ x_j·r_j modulo the prime, for at most 2^31 integers x: products below 2^76.
func mixShort(x []int16, r []uint64) uint64 {
	var high, low uint64
	r = r[:len(x)]
	for j, v := range x {
		high, low = addProduct(high, low, int64(v), r[j])
	}
	return residue128(high, low)
}

// maxOwn bounds the numbers of a record's contribution: at most 2^20 products below 2^23. At most
// 2^31 of their squares have a sum below 2^127.
const maxOwn = 1 << 43

// addLong adds the squares of numbers, and reports whether all are below maxOwn in magnitude.
func (s *square) addLong(v []int64) bool {
	most, sum := uint64(0), *s
	for _, w := range v {
		u := uint64(max(w, -w))
		most |= u
		sum.add(u, u)
	}
	*s = sum
	return most < maxOwn
}

// mixMatrix returns rightᵀ·m·left modulo the prime, for a matrix of right × left numbers below
// 2^60, row after row.
func mixMatrix(m []int64, left, right []uint64) (mix uint64) {
	for j, r := range right {
		mix = residue(mix + timesResidue(int64(r), mixLong(m[j*len(left):(j+1)*len(left)], left)))
	}
	return mix
}

// agrees reports whether the integers of the sum have the product with the secret that was noted.
func (s *ProductSum) agrees(total []int64) bool {
	return !s.faulty && short(total) && s.mixTotal(total, s.secrets) == s.mix
}

// mixTotal returns the product of the integers of the sum with a secret.
func (s *ProductSum) mixTotal(total []int64, secrets []productSecret) (mix uint64) {
	at := 0
	for k, b := range s.blocks {
		m, r := total[at:at+b.Numbers()], secrets[k]
		if b.Sparse {
			r.left, r.right = r.right, r.left // Left × Right
		}
		mix = residue(mix + mixMatrix(m, r.left, r.right))
		at += b.Numbers()
	}
	return mix
}

// mergeChecks adds what o noted, and clears it. A sum with another secret is checked by itself, and
// noted with that of s.
func (s *ProductSum) mergeChecks(o *ProductSum) {
	if &s.secrets[0] != &o.secrets[0] {
		o.faulty = !o.agrees(o.total)
		o.mix = o.mixTotal(o.total, s.secrets)
	}
	s.mix, s.faulty = residue(s.mix+o.mix), s.faulty || o.faulty
	o.mix = 0
}
