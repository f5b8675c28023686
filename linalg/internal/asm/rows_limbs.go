package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// limbStrip is how many coordinates a kernel of limbs takes together: four registers of
// sums for each limb of a column's factors.
const limbStrip = 64

// limbWordBytes is the distance of the packed factors of two columns.
const limbWordBytes = 16

// limbShape says how many limbs of 8 bits the factors of a kernel have, and how many columns it
// takes together.
type limbShape struct {
	name           string
	limbs, columns int
}

// limbShapes are the kernels. Each leaves registers for the entries of a group of rows.
var limbShapes = []limbShape{{"addThreeLimbs", 3, 2}, {"addFourLimbs", 4, 1}}

// limbState is what the parts of a kernel of limbs share. An instruction multiplies the bytes of
// four rows with a limb of as many factors, and adds the products up in 32 bits.
type limbState struct {
	*rowKernel
	limbShape
	dst, out, factors, left, ahead operand.Mem    // where a strip and a column begin, columns to do
	x                              reg.Register   // the strip of the first row
	base                           reg.VecVirtual // what a limb counts for in the one below
}

// limbSums are the sums of each column and limb, in four registers of 16 coordinates.
type limbSums [][][4]reg.VecVirtual

// limbKernel writes a kernel of AddWhole. For each strip of coordinates it goes through the
// columns, and for each tile of them through the groups of rows.
func (k *rowKernel) limbKernel(shape limbShape) {
	k.begin(shape.name, "dst *float64, x *uint8, factors *uint32, groups, dim, columns, stride, ahead int, mask uint64")
	s := &limbState{rowKernel: k, limbShape: shape, dst: k.keep("dst"), out: k.AllocLocal(8), factors: k.AllocLocal(8), left: k.AllocLocal(8), ahead: k.AllocLocal(8)}
	bits, narrow := k.GP64(), k.XMM()
	k.MOVQ(operand.U64(math.Float64bits(1<<8)), bits)
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

// strip adds all rows to a strip of every column, and together with the first columns asks
// for the memory ahead.
func (s *limbState) strip(tail bool) {
	s.MOVQ(s.fetch(s.dst), s.out)
	s.MOVQ(s.argument("factors"), s.factors)
	s.MOVQ(s.argument("columns"), s.left)
	s.MOVQ(s.argument("ahead"), s.ahead)
	for _, columns := range []int{s.columns, 1} {
		again, fewer := s.label("columns"), s.label("fewer")
		s.Label(again)
		s.CMPQ(s.left, operand.U8(columns))
		s.JL(operand.LabelRef(fewer))
		sums := s.allGroups(columns, tail)
		out, distance := s.fetch(s.out), s.argument("dim")
		for _, column := range sums {
			s.finish(out, column, tail)
			s.LEAQ(operand.Mem{Base: out, Index: distance, Scale: 8}, out)
		}
		s.MOVQ(out, s.out)
		s.ADDQ(operand.U8(limbWordBytes*columns), s.factors)
		s.MOVQ(operand.U32(0), s.ahead)
		s.SUBQ(operand.U8(columns), s.left)
		s.JMP(operand.LabelRef(again))
		s.Label(fewer)
		if columns == 1 {
			break
		}
	}
}

// allGroups returns the sums of some columns, with the coordinates in the order of interleave.
func (s *limbState) allGroups(columns int, tail bool) limbSums {
	sums := make(limbSums, columns)
	for c := range sums {
		sums[c] = make([][4]reg.VecVirtual, s.limbs)
		for l := range sums[c] {
			for v := range sums[c][l] {
				sum := s.ZMM()
				s.VXORPS(sum, sum, sum)
				sums[c][l][v] = sum
			}
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
	for c, column := range sums {
		for l := range column {
			limb := s.ZMM()
			s.VPBROADCASTD(operand.Mem{Base: factor, Disp: limbWordBytes*c + 4*l}, limb)
			for v, entry := range entries {
				s.VPDPBUSD(limb, entry, column[l][v])
			}
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

// finish adds the sums of all limbs of a column to a strip of dst.
func (s *limbState) finish(out reg.Register, sums [][4]reg.VecVirtual, tail bool) {
	for l := range sums {
		sums[l] = s.inOrder(sums[l])
	}
	for v := range 4 {
		for h := range 2 {
			total := s.half(sums[s.limbs-1][v], h)
			for l := s.limbs - 2; l >= 0; l-- {
				s.VFMADD213PD(s.half(sums[l][v], h), s.base, total)
			}
			s.addTotal(out, total, 16*v+8*h, tail)
		}
	}
}

// inOrder brings the coordinates of interleave into ascending order: it transposes the
// quarters of four registers.
func (s *limbState) inOrder(v [4]reg.VecVirtual) [4]reg.VecVirtual {
	const even, odd = 0x88, 0xdd // quarters 0 and 2 of a and b, and 1 and 3
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
