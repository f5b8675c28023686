package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// finish adds the sums of all limbs of a column to a strip of dst. Of bytes the lower two limbs,
// and the upper ones, are put together in 32 bits first, which hold them for this few rows.
func (s *limbState) finish(out reg.Register, sums [][4]reg.VecVirtual) {
	var parts [4][]reg.VecVirtual // of each register
	for v := range parts {
		for l := range sums {
			parts[v] = append(parts[v], sums[l][v])
		}
		parts[v] = s.pairs(parts[v])
	}
	for l := range parts[0] {
		ordered := s.inOrder([4]reg.VecVirtual{parts[0][l], parts[1][l], parts[2][l], parts[3][l]})
		for v := range parts {
			parts[v][l] = ordered[v]
		}
	}
	counts := s.counts(len(parts[0]))
	for v := range parts {
		s.addParts(out, parts[v], counts, 16*v, nil)
	}
}

// counts returns what a part counts for in the one below it, where there are several.
func (s *limbState) counts(parts int) reg.VecVirtual {
	counts := s.ZMM()
	switch {
	case parts == 1:
	case s.entry == rowByte:
		s.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol("limbBaseByte"), 0), counts)
	default:
		s.VBROADCASTSD(s.place("base"), counts)
	}
	return counts
}

// addParts adds the parts of sixteen sums to dst, from coordinate at of the strip on. With a mask,
// it adds only the masked sums.
func (s *limbState) addParts(out reg.Register, parts []reg.VecVirtual, counts reg.VecVirtual, at int, mask reg.Register) {
	for h := range 2 {
		total := s.half(parts[len(parts)-1], h)
		for l := len(parts) - 2; l >= 0; l-- {
			s.VFMADD213PD(s.half(parts[l], h), counts, total)
		}
		s.addTotal(operand.Mem{Base: out, Disp: 8 * (at + 8*h)}, total, h, mask)
	}
}

// pairs puts limbs of bytes together, the lower before the upper.
func (s *limbState) pairs(limbs []reg.VecVirtual) (parts []reg.VecVirtual) {
	if s.entry != rowByte {
		return limbs
	}
	for l := 0; l < len(limbs); l += 2 {
		if l+1 < len(limbs) {
			s.VPSLLD(operand.U8(8), limbs[l+1], limbs[l+1])
			s.VPADDD(limbs[l+1], limbs[l], limbs[l])
		}
		parts = append(parts, limbs[l])
	}
	return parts
}

// inOrder brings the coordinates of interleave into ascending order. Of bytes it transposes the quarters of four
// registers, of 16 bits it takes those of two in turns.
func (s *limbState) inOrder(v [4]reg.VecVirtual) [4]reg.VecVirtual {
	const even, odd = 0x88, 0xdd // quarters 0 and 2 of a and b, and 1 and 3
	if s.entry == rowShort {
		const low, high, turns = 0x44, 0xee, 0xd8 // quarters 0 and 1 of a and b, 2 and 3; 0, 2, 1 and 3
		var out [4]reg.VecVirtual
		for i := range out {
			a, b := v[i&^1], v[i|1]
			both := s.shuffle([]uint8{low, high}[i%2], a, b)
			out[i] = s.shuffle(turns, both, both)
		}
		return out
	}
	a, b := s.shuffle(even, v[0], v[1]), s.shuffle(even, v[2], v[3])
	c, d := s.shuffle(odd, v[0], v[1]), s.shuffle(odd, v[2], v[3])
	return [4]reg.VecVirtual{s.shuffle(even, a, b), s.shuffle(even, c, d), s.shuffle(odd, a, b), s.shuffle(odd, c, d)}
}

// shuffle takes two quarters of a and two of b.
func (s *limbState) shuffle(which uint8, a, b reg.VecVirtual) reg.VecVirtual {
	r := s.ZMM()
	s.VSHUFI32X4(operand.U8(which), b, a, r)
	return r
}

// half converts half h of a register.
func (s *limbState) half(v reg.VecVirtual, h int) reg.VecVirtual {
	half, r := v.AsY(), s.ZMM()
	if h == 1 {
		half = s.YMM()
		s.VEXTRACTI64X4(operand.U8(1), v, half)
	}
	s.VCVTDQ2PD(half, r)
	return r
}

// addTotal adds eight sums to dst, those of half h of the mask if there is one.
func (s *limbState) addTotal(m operand.Mem, total reg.VecVirtual, h int, mask reg.Register) {
	if mask == nil {
		s.VADDPD(m, total, total)
		s.VMOVUPD(total, m)
		return
	}
	if h == 1 {
		upper := s.K()
		s.KSHIFTRW(operand.U8(8), mask, upper)
		mask = upper
	}
	before := s.ZMM()
	s.VMOVUPD_Z(m, mask, before)
	s.VADDPD(before, total, total)
	s.VMOVUPD(total, mask, m)
}
