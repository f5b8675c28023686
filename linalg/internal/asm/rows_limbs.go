package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// limbStrip is how many coordinates a kernel of limbs takes together: four registers of
// sums for each of the four limbs of the factors.
const limbStrip = 64

// limbState is what the parts of the kernel of limbs share. Its factors are whole numbers
// in four limbs of 8 bits. An instruction multiplies the bytes of four rows with a limb of
// as many factors, and adds the products up in 32 bits.
type limbState struct {
	*rowKernel
	dst, factors, left, ahead operand.Mem    // where a strip and a column begin, columns to do
	x                         reg.Register   // the strip of the first row
	base                      reg.VecVirtual // what the upper two limbs count for
}

// limbSums are the sums of each limb, in four registers of 16 coordinates.
type limbSums [][4]reg.VecVirtual

// limbKernel writes a kernel of AddWhole for bytes. For each strip of coordinates it goes
// through the columns, and for each through the groups of four rows.
func (k *rowKernel) limbKernel() {
	k.begin("addLimbs", "dst *float64, x *uint8, factors *uint32, groups, dim, columns, stride, ahead int, mask uint64")
	s := &limbState{rowKernel: k, dst: k.keep("dst"), factors: k.AllocLocal(8), left: k.AllocLocal(8), ahead: k.AllocLocal(8)}
	bits, narrow := k.GP64(), k.XMM()
	k.MOVQ(operand.U64(math.Float64bits(1<<16)), bits)
	k.VMOVQ(bits, narrow)
	s.base = k.ZMM()
	k.VBROADCASTSD(narrow, s.base)
	k.loadTail()
	s.x = k.argument("x")
	strips := k.argument("dim")
	k.SHRQ(operand.U8(6), strips)
	k.TESTQ(strips, strips)
	k.JZ(operand.LabelRef("tail"))
	k.Label("strips")
	s.strip(false)
	k.ADDQ(operand.U8(limbStrip), s.x)
	k.ADDQ(operand.U32(8*limbStrip), s.dst)
	k.DECQ(strips)
	k.JNZ(operand.LabelRef("strips"))
	k.Label("tail")
	k.CMPQ(k.place("mask"), operand.U8(0))
	k.JE(operand.LabelRef("done"))
	s.strip(true)
	k.Label("done")
	k.end()
}

// strip adds all rows to a strip of every column, and together with the first column asks
// for the memory ahead.
func (s *limbState) strip(tail bool) {
	out := s.fetch(s.dst)
	s.MOVQ(s.argument("factors"), s.factors)
	s.MOVQ(s.argument("columns"), s.left)
	s.MOVQ(s.argument("ahead"), s.ahead)
	again := s.label("columns")
	s.Label(again)
	s.finish(out, s.allGroups(tail), tail)
	distance := s.argument("dim")
	s.LEAQ(operand.Mem{Base: out, Index: distance, Scale: 8}, out)
	s.ADDQ(operand.U8(16), s.factors)
	s.MOVQ(operand.U32(0), s.ahead)
	s.DECQ(s.left)
	s.JNZ(operand.LabelRef(again))
}

// allGroups returns the sums of each limb, with the coordinates in the order of interleave.
func (s *limbState) allGroups(tail bool) limbSums {
	sums := make(limbSums, 4)
	for l := range sums {
		for v := range sums[l] {
			sums[l][v] = s.ZMM()
			s.VXORPS(sums[l][v], sums[l][v], sums[l][v])
		}
	}
	x, next, factor, left := s.GP64(), s.fetch(s.ahead), s.fetch(s.factors), s.argument("groups")
	s.MOVQ(s.x, x)
	s.ADDQ(x, next)
	rows, apart := s.stridesOf(s.argument("stride"), 4), s.argument("columns")
	s.SHLQ(operand.U8(4), apart)
	again := s.label("groups")
	s.Label(again)
	for r := 0; r < 4; r += 2 { // as halfAhead has it
		s.PREFETCHT0(rows.at(next, r, 0))
	}
	s.addGroup(sums, s.interleave(x, rows, tail), factor)
	s.LEAQ(operand.Mem{Base: x, Index: rows.one, Scale: 4}, x)
	s.LEAQ(operand.Mem{Base: next, Index: rows.one, Scale: 4}, next)
	s.ADDQ(apart, factor)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
	return sums
}

// addGroup adds the products of a group of rows.
func (s *limbState) addGroup(sums limbSums, entries [4]reg.VecVirtual, factor reg.Register) {
	for l := range sums {
		limb := s.ZMM()
		s.VPBROADCASTD(operand.Mem{Base: factor, Disp: 4 * l}, limb)
		for v, entry := range entries {
			s.VPDPBUSD(limb, entry, sums[l][v])
		}
	}
}

// interleave loads a strip of a group of rows so that the entries of one coordinate stand
// together in 32 bits. Instructions work within quarters of a register, so that quarter i
// of register v holds the coordinates from 16·i+4·v to 16·i+4·v+3.
func (s *limbState) interleave(x reg.Register, rows strides, tail bool) [4]reg.VecVirtual {
	var low, high [2]reg.VecVirtual
	for p := range 2 {
		a, b := s.loadStrip(rows.at(x, 2*p, 0), tail), s.loadStrip(rows.at(x, 2*p+1, 0), tail)
		low[p], high[p] = s.ZMM(), s.ZMM()
		s.VPUNPCKLBW(b, a, low[p])
		s.VPUNPCKHBW(b, a, high[p])
	}
	out := [4]reg.VecVirtual{s.ZMM(), s.ZMM(), s.ZMM(), s.ZMM()}
	s.VPUNPCKLWD(low[1], low[0], out[0])
	s.VPUNPCKHWD(low[1], low[0], out[1])
	s.VPUNPCKLWD(high[1], high[0], out[2])
	s.VPUNPCKHWD(high[1], high[0], out[3])
	return out
}

// loadStrip loads a strip of one row.
func (s *limbState) loadStrip(m operand.Mem, tail bool) reg.VecVirtual {
	v := s.ZMM()
	if tail {
		s.VMOVDQU8_Z(m, s.tail, v)
	} else {
		s.VMOVDQU64(m, v)
	}
	return v
}

// finish adds the sums of all limbs to a strip of dst. Two limbs fit into 32 bits.
func (s *limbState) finish(out reg.Register, sums limbSums, tail bool) {
	for v := range 4 {
		for l := 0; l < 4; l += 2 {
			s.VPSLLD(operand.U8(8), sums[l+1][v], sums[l+1][v])
			s.VPADDD(sums[l+1][v], sums[l][v], sums[l][v])
		}
	}
	lower, upper := s.inOrder(sums[0]), s.inOrder(sums[2])
	for v := range 4 {
		for h := range 2 {
			total, low := s.half(upper[v], h), s.half(lower[v], h)
			s.VFMADD213PD(low, s.base, total)
			s.addTotal(out, total, 16*v+8*h, tail)
		}
	}
}

// inOrder brings the coordinates of interleave into ascending order: it transposes the
// quarters of four registers.
func (s *limbState) inOrder(v [4]reg.VecVirtual) [4]reg.VecVirtual {
	shuffle := func(which uint8, a, b reg.VecVirtual) reg.VecVirtual {
		r := s.ZMM()
		s.VSHUFI32X4(operand.U8(which), b, a, r)
		return r
	}
	const even, odd = 0x88, 0xdd // quarters 0 and 2 of a and b, and 1 and 3
	a, b := shuffle(even, v[0], v[1]), shuffle(even, v[2], v[3])
	c, d := shuffle(odd, v[0], v[1]), shuffle(odd, v[2], v[3])
	return [4]reg.VecVirtual{shuffle(even, a, b), shuffle(even, c, d), shuffle(odd, a, b), shuffle(odd, c, d)}
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

// addTotal adds eight sums to dst, from coordinate number at of the strip on.
func (s *limbState) addTotal(out reg.Register, total reg.VecVirtual, at int, tail bool) {
	m := operand.Mem{Base: out, Disp: 8 * at}
	if !tail {
		s.VADDPD(m, total, total)
		s.VMOVUPD(total, m)
		return
	}
	mask, before := s.K(), s.ZMM()
	s.KSHIFTRQ(operand.U8(at), s.tail, mask)
	s.VMOVUPD_Z(m, mask, before)
	s.VADDPD(before, total, total)
	s.VMOVUPD(total, mask, m)
}
