package release

// vectorCheck is what a sum of vectors is checked with, as a Sum is (check.go). What a record may
// add is held to its norm once more, and its product with a secret is noted. Lemma 19 of
// docs/release-parts.md has the proof.
type vectorCheck struct {
	secret []uint64
	mix    uint64 // the product of the sum with the secret
	faulty bool   // a check failed: nothing is released
}

// newVectorCheck returns the check of an empty sum of vectors of dim numbers, with a secret of its
// own.
func newVectorCheck(dim int) vectorCheck { return vectorCheck{secret: uniform(dim)} }

// alike returns the check of an empty sum that is merged with that of c.
func (c *vectorCheck) alike() vectorCheck { return vectorCheck{secret: c.secret} }

// admit notes the integers q that a record adds. It errs if they are not within the limit, and then
// the sum is never released.
func (c *vectorCheck) admit(q []int64, n Norm, limit int64) error {
	if c.faulty = c.faulty || !small(q) || !n.within(q, limit); c.faulty {
		return ErrComputation
	}
	c.mix = residue(c.mix + mixLong(q, c.secret))
	return nil
}

// small reports whether no integer is beyond maxCoefficient.
func small(q []int64) bool {
	beyond := false
	for _, v := range q {
		beyond = beyond || v > maxCoefficient || v < -maxCoefficient
	}
	return !beyond
}

// agrees reports whether the integers of the sum have the product with the secret that was noted.
func (c *vectorCheck) agrees(total []int64) bool {
	return !c.faulty && len(total) == len(c.secret) && short(total) && mixLong(total, c.secret) == c.mix
}

// merge adds what o noted of the sum total, and clears it. A sum with another secret is checked by
// itself, and noted with the secret of c.
func (c *vectorCheck) merge(o *vectorCheck, total []int64) {
	if &c.secret[0] != &o.secret[0] {
		o.faulty = !o.agrees(total)
		o.mix = mixLong(total, c.secret)
	}
	c.faulty = c.faulty || o.faulty
	c.mix, o.mix = residue(c.mix+o.mix), 0
}
