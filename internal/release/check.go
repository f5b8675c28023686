package release

import (
	"errors"
	"math"
	"math/bits"
	"slices"
)

// The kernels that measure rows and sum them may be wrong: what they compute is checked here, in
// portable code that shares nothing with them. Lemma 4 of docs/release.md has the proof.
//
//   - When rows are measured, the squared norm n2 of each is computed once more (entered).
//   - When a record is added, the integers q that its row is multiplied by are held to (Σ q²)·n2 ≤
//     Δ² (admit). Each column notes Σ q·h modulo a prime. There h is the product of the row, as the
//     sum has it, with a secret.
//   - When the sum ends, its product with the secret must be what was noted (agrees). A sum that is
//     not Σ q·y agrees with probability 2^-61.

// ErrComputation is the error if the check of a computation fails. Possible causes are a fault of
// the processor or of a kernel, rows that changed in memory, and a file of rows that changed. The
// result is never released.
var ErrComputation = errors.New("release: the check of a computation failed and nothing was released; want a processor, memory and files that keep what they hold: run once more, or with DITHER_PROCESSOR=portable")

// admitRows records are noted at a time: few enough that what is added up of each stays near the
// processor.
const admitRows = 64

const (
	// maxCoefficient keeps integers, and their square sums in 128 bits, far from overflow.
	maxCoefficient = 1 << 52
	// maxColumns integers have a square sum below 2^128, even if each is just below
	// 2·maxCoefficient.
	maxColumns = 1 << 20
)

// admit holds that the integers by which the records of a block are multiplied are within the
// bound, and notes them. The integer of record i and column k stands at i·recordStep +
// k·columnStep. It returns an error where a record is beyond the bound, and then the sum is never
// released.
func (s *Sum) admit(q []float64, recordStep, columnStep int, b *Block) error {
	n := b.Len()
	for from := 0; from < n && !s.faulty; from += admitRows {
		end := min(from+admitRows, n)
		n2, mixes := b.entered(from, end, &s.room)
		if recordStep != 1 || s.columns != 1 || !s.admitOnes(q[from:end], n2, mixes) {
			s.admitSome(q[from*recordStep:], recordStep, columnStep, n2, mixes)
		}
	}
	if s.faulty {
		return ErrComputation
	}
	return nil
}

// admitOnes is admitSome for one integer a record. It returns false, and notes nothing, if float64
// leaves a doubt.
func (s *Sum) admitOnes(q []float64, n2 []int64, mixes []uint64) bool {
	var high, low, most uint64
	limit := s.floatLimit()
	n2, mixes = n2[:len(q)], mixes[:len(q)]
	for i, f := range q {
		weight := float64(n2[i])
		if n2[i] == 0 {
			weight = math.MaxFloat64 // so that every integer but 0 is beyond the limit
		}
		if !(f*f*weight <= limit) {
			return false
		}
		most |= mixes[i] | uint64(n2[i])
		high, low = addProduct(high, low, int64(f), mixes[i])
	}
	if most > prime {
		return false // a norm below 0, or a row that was not entered
	}
	s.notes[0] = residue(s.notes[0] + residue128(high, low))
	return true
}

// admitSome is admit for at most admitRows records: i%admitRows is i, and spares checks of bounds.
func (s *Sum) admitSome(q []float64, recordStep, columnStep int, n2 []int64, mixes []uint64) {
	var squares [admitRows]float64 // Σ q² of each record
	n := len(n2)
	own := grow(s.room.q, s.columns*n)
	for k := range s.columns {
		s.notes[k] = residue(s.notes[k] + mixColumn(own[k*n:(k+1)*n], squares[:n], q[k*columnStep:], recordStep, mixes))
	}
	s.room.q = own
	limit, holds := s.floatLimit(), true
	for i, v := range n2 {
		holds = holds && squares[i%admitRows]*float64(v) <= limit && (v > 0 || v == 0 && squares[i%admitRows] == 0)
	}
	s.faulty = s.faulty || !holds && !s.boundHolds(own, n2) || slices.Max(mixes) >= prime
}

// mixColumn reads the integers of a column once: it copies them to own and adds their squares to
// squares. It returns Σ q·h modulo the prime: at most admitRows products below 2^114, if no integer
// passes 2·maxCoefficient.
func mixColumn(own, squares, q []float64, recordStep int, mixes []uint64) uint64 {
	var high, low uint64
	squares, mixes = squares[:len(own)], mixes[:len(own)]
	at := 0
	for i := range own {
		f := q[at]
		at += recordStep
		own[i] = f
		squares[i] += f * f
		high, low = addProduct(high, low, int64(f), mixes[i])
	}
	return residue128(high, low)
}

// floatLimit returns a limit. If float64 finds Σ q² times a positive n2 to be at most this, then (Σ
// q²)·n2 ≤ Δ², and no integer passes maxCoefficient. Fewer than 8 roundings a column decide, each
// by a factor within 1 ± 2^-53. Integers are floats rounded toward zero, so their squares are no
// larger.
func (s *Sum) floatLimit() float64 {
	limit := float64(min(s.limit, maxCoefficient))
	return limit * limit * (1 - 0x1p-49*float64(s.columns))
}

// boundHolds reports whether all records are within the bound, in integers. They stand column after
// column.
func (s *Sum) boundHolds(q []float64, n2 []int64) bool {
	limitHigh, limitLow := bits.Mul64(uint64(s.limit), uint64(s.limit))
	for i, v := range n2 {
		var high, low uint64
		for k := range s.columns {
			w := int64(q[k*len(n2)+i])
			if w = max(w, -w); uint64(w) >= 2*maxCoefficient {
				return false
			}
			high, low = addProduct(high, low, w, uint64(w))
		}
		if v < 0 || v == 0 && high|low != 0 || !within(high, low, uint64(v), limitHigh, limitLow) {
			return false
		}
	}
	return true
}

// within reports whether a square sum of two words times n2 is at most the limit of two words.
func within(high, low, n2, limitHigh, limitLow uint64) bool {
	middle, low := bits.Mul64(low, n2)
	top, second := bits.Mul64(high, n2)
	middle, carry := bits.Add64(middle, second, 0)
	return top+carry == 0 && (middle < limitHigh || middle == limitHigh && low <= limitLow)
}

// agrees reports whether the integers of a sum, column after column, have the products with the
// secret that were noted.
func (s *Sum) agrees(values []int64) bool {
	dim := s.rows.width
	if s.faulty || len(values) != dim*s.columns || !short(values) {
		return false
	}
	r := s.rows.origin.secret[:dim]
	for k, noted := range s.notes {
		if mixLong(values[k*dim:(k+1)*dim], r) != noted {
			return false
		}
	}
	return true
}

// short reports whether no number is beyond half of the prime in magnitude. Different numbers then
// have different residues.
func short(values []int64) bool {
	return !slices.ContainsFunc(values, func(v int64) bool { return uint64(v+prime/2) > prime-1 })
}

// mergeChecks adds the notes of o, and clears them. If o is of rows with another secret, its sum is
// checked first, and then noted with the secret of s.
func (s *Sum) mergeChecks(o *Sum) {
	if s.rows.origin != o.rows.origin {
		values, dim := slices.Clone(o.values()), o.rows.width
		o.faulty = !o.agrees(values)
		for k := range o.notes {
			o.notes[k] = mixLong(values[k*dim:(k+1)*dim], s.rows.origin.secret[:dim])
		}
	}
	s.faulty = s.faulty || o.faulty
	for k, v := range o.notes {
		s.notes[k] = residue(s.notes[k] + v)
	}
	clear(o.notes)
}
