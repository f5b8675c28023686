package release

import (
	"errors"
	"math/bits"
	"slices"
)

// The kernels that measure rows and sum them may be wrong: what they compute is checked here, in portable code that
// shares nothing with them. Lemma 4 of docs/release.md has the proof.
//
//   - When rows are measured, the squared norm n2 of each is computed once more (entered).
//   - When a record is added, the integers q that its row is multiplied by are held to (Σ q²)·n2 ≤
//     Δ² (admit). Each column notes Σ q·h modulo a prime. There h is the product of the row, as the
//     sum has it, with a secret.
//   - When the sum ends, its product with the secret must be what was noted (agrees). A sum that is not Σ q·y agrees with
//     probability 2^-61.

// ErrComputation is the error if the check of a computation fails. Possible causes are a fault of
// the processor or of a kernel, rows that changed in memory, and a file of rows that changed. The
// result is never released.
var ErrComputation = errors.New("release: the check of a computation failed and nothing was released; want a processor, memory and files that keep what they hold: run once more, or with DITHER_PROCESSOR=portable")

// admitRows records are noted at a time: few enough that what is added up of each stays near the processor.
const admitRows = 64

// admit holds that the integers which the records of a block are multiplied by are within the
// bound, and notes them. The integers of one record stand record entries after those of the last,
// and the integers of one column column entries after. It errs where they are not within the bound,
// and then the sum is never released.
func (s *Sum) admit(q []float64, record, column int, b *Block) error {
	n := b.Len()
	var room enteredRoom
	for from := 0; from < n && !s.faulty; from += admitRows {
		end := min(from+admitRows, n)
		n2, mixes := b.entered(from, end, &room)
		if record != 1 || s.columns != 1 || !s.admitOnes(q[from:end], n2, mixes) {
			s.admitSome(q[from*record:], record, column, n2, mixes)
		}
	}
	if s.faulty {
		return ErrComputation
	}
	return nil
}

// admitOnes is admitSome for one integer a record. It reports whether all are below 2^32; else it notes nothing.
func (s *Sum) admitOnes(q []float64, n2 []int64, mixes []uint64) bool {
	limitHigh, limitLow := bits.Mul64(uint64(s.limit), uint64(s.limit))
	var high, low, most, bad, carry uint64
	n2, mixes = n2[:len(q)], mixes[:len(q)]
	for i, f := range q {
		v, square := int64(f), uint64(n2[i])
		u := uint64(v ^ v>>63 - v>>63)
		most |= u
		h, l := bits.Mul64(u*u, square)
		_, carry = bits.Sub64(limitLow, l, 0)
		_, carry = bits.Sub64(limitHigh, h, carry)
		// Beyond the limit, a norm below 0, an integer next to a norm of 0, and a row that was not entered.
		bad |= carry | square>>63 | u&-((square-1)>>63) | mixes[i]>>primeBits
		h, l = bits.Mul64(u, negated(v, mixes[i]))
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	if most >= 1<<32 {
		return false
	}
	s.faulty = s.faulty || bad != 0
	s.mixes[0] = residue(s.mixes[0] + residue128(high, low))
	return true
}

// admitSome is admit for at most admitRows records: i%admitRows is i, and spares checks of bounds.
func (s *Sum) admitSome(q []float64, record, column int, n2 []int64, mixes []uint64) {
	var squares, tops [admitRows]uint64 // Σ q² of each record in two words
	most := uint64(0)
	for k := range s.columns {
		var high, low, carry uint64 // at most 2^6 products below 2^113, if no integer passes maxCoefficient
		at := k * column
		for i, mix := range mixes {
			v := int64(q[at])
			at += record
			u := uint64(v ^ v>>63 - v>>63)
			most |= u
			h, l := bits.Mul64(u, u)
			squares[i%admitRows], carry = bits.Add64(squares[i%admitRows], l, 0)
			tops[i%admitRows] += h + carry
			h, l = bits.Mul64(u, negated(v, mix))
			low, carry = bits.Add64(low, l, 0)
			high += h + carry
		}
		s.mixes[k] = residue(s.mixes[k] + residue128(high, low))
	}
	limitHigh, limitLow := bits.Mul64(uint64(s.limit), uint64(s.limit))
	bad := most > 2*maxCoefficient-1
	for i, v := range n2 {
		high, low := tops[i%admitRows], squares[i%admitRows]
		bad = bad || !within(high, low, uint64(v), limitHigh, limitLow) || v <= 0 && (v < 0 || high|low != 0) || mixes[i] >= prime
	}
	s.faulty = s.faulty || bad
}

// within reports whether a square sum of two words times n2 is at most the limit of two words.
func within(high, low, n2, limitHigh, limitLow uint64) bool {
	middle, low := bits.Mul64(low, n2)
	top, second := bits.Mul64(high, n2)
	middle, carry := bits.Add64(middle, second, 0)
	return top+carry == 0 && (middle < limitHigh || middle == limitHigh && low <= limitLow)
}

// agrees reports whether the integers of a sum, column after column, have the products with the secret that were noted.
func (s *Sum) agrees(values []int64) bool {
	dim := s.rows.width
	if s.faulty || len(values) != dim*s.columns || !short(values) {
		return false
	}
	r := s.rows.origin.secret[:dim]
	for k, noted := range s.mixes {
		if mixLong(values[k*dim:(k+1)*dim], r) != noted {
			return false
		}
	}
	return true
}

// short reports whether numbers are different wherever their residues are: none is beyond half of the prime.
func short(values []int64) bool {
	return !slices.ContainsFunc(values, func(v int64) bool { return max(v, -v) > prime/2 || v == -v && v != 0 })
}

// mergeChecks adds what o noted, and clears it. Rows of other integers have another secret: there o
// is checked by itself, and its sum is noted with the secret of s.
func (s *Sum) mergeChecks(o *Sum) {
	if s.rows.origin != o.rows.origin {
		values, dim := slices.Clone(o.values()), o.rows.width
		o.faulty = !o.agrees(values)
		for k := range o.mixes {
			o.mixes[k] = mixLong(values[k*dim:(k+1)*dim], s.rows.origin.secret[:dim])
		}
	}
	s.faulty = s.faulty || o.faulty
	for k, v := range o.mixes {
		s.mixes[k] = residue(s.mixes[k] + v)
	}
	clear(o.mixes)
}
