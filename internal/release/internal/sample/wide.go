package sample

import (
	"encoding/binary"
	"math/big"
)

// fractionWords times 64 bits follow the point of an exponential number and of a coordinate in
// the disk.
const (
	fractionWords = 8
	fractionBits  = 64 * fractionWords
)

// fraction is a number of [0, 1) in units of 2^-fractionBits, most significant word first.
type fraction [fractionWords]uint64

// fraction draws a uniform one.
func (s *Stream) fraction() fraction {
	var f fraction
	for i := range f {
		f[i] = s.Word()
	}
	return f
}

// put sets x to whole·2^fractionBits plus the fraction in its units.
func (f *fraction) put(x *big.Int, whole uint64) {
	var text [8 * (fractionWords + 1)]byte
	binary.BigEndian.PutUint64(text[:], whole)
	for i, word := range f {
		binary.BigEndian.PutUint64(text[8*(i+1):], word)
	}
	x.SetBytes(text[:])
}

// fractionCoin is true with probability f, exactly. It compares f with a uniform fraction, and
// draws the words of it that it needs.
func (s *Stream) fractionCoin(f *fraction) bool {
	for _, word := range f {
		if u := s.Word(); u != word {
			return u < word
		}
	}
	return false
}

// fractionExpCoin is true with probability exp(-f), exactly: the rule of expCoin.
func (s *Stream) fractionExpCoin(f *fraction) bool {
	k := uint64(1)
	for s.fractionCoin(f) && s.coin(1, k) {
		k++
	}
	return k&1 == 1
}

// exponential sets x to ⌊2^fractionBits·E⌋, where E is exponential with mean 1, exactly: an
// integer of probability proportional to exp(-x/2^fractionBits). It is the geometric rule of
// laplace.go for this scale: a uniform fraction f, kept with probability exp(-f), and whole
// units.
func (s *Stream) exponential(x *big.Int) {
	f := s.fraction()
	for !s.fractionExpCoin(&f) {
		f = s.fraction()
	}
	f.put(x, s.wholes())
}

// diskPoint is a point of the unit disk in units of 2^-fractionBits: odd integers x and y, and
// square = x²+y².
type diskPoint struct{ x, y, square, part big.Int }

// disk draws a point uniform among the middles of those cells of the square that lie in the disk.
// The cells have side 2 in its units.
func (s *Stream) disk(p *diskPoint) {
	for {
		s.middle(&p.x)
		s.middle(&p.y)
		p.part.Mul(&p.x, &p.x)
		p.square.Mul(&p.y, &p.y)
		p.square.Add(&p.square, &p.part)
		if p.square.BitLen() <= 2*fractionBits {
			return
		}
	}
}

// middle sets x to a uniform odd integer of magnitude below 2^fractionBits. The lowest bit of
// the fraction, which is 1 in every magnitude, gives the sign.
func (s *Stream) middle(x *big.Int) {
	f := s.fraction()
	last := &f[fractionWords-1]
	negative := *last&1 == 1
	*last |= 1
	f.put(x, 0)
	if negative {
		x.Neg(x)
	}
}
