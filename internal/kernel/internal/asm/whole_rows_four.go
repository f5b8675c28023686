package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fourRows is how many rows the kernels of this file take together.
const fourRows = 4

// squareRowsShortFour writes the kernel of SquareRows for four rows of 16 bits at a time, 32
// entries a turn. The sum S of the squares of n pairs, each below 2^32, is told by two sums of 32
// bits: L = S modulo 2^32, and H, that of the pairs' upper 16 bits, which n ≤ 2^16 pairs bring to
// at most 2^31. Since 0 ≤ S - 2^16·H < 2^32, S is 2^16·H and L - 2^16·H modulo 2^32.
func squareRowsShortFour(c *build.Context) {
	k := newFourRows(c, "squareRowsShortFourAVX512", "int16", "uint32")
	k.write(func(r int, m operand.Mem, last bool) {
		v := c.ZMM()
		if last {
			c.VMOVDQU16_Z(m, k.mask, v)
		} else {
			c.VMOVDQU16(m, v)
		}
		c.VPMADDWD(v, v, v)
		c.VPADDD(v, k.one[r], k.one[r])
		c.VPSRLD(operand.Imm(16), v, v)
		c.VPADDD(v, k.other[r], k.other[r])
	}, func() reg.VecVirtual {
		l, h := acrossFour(c, k.one), acrossFour(c, k.other)
		shifted, wideLow, wideHigh := c.XMM(), c.YMM(), c.YMM()
		c.VPSLLD(operand.Imm(16), h, shifted)
		c.VPSUBD(shifted, l, l)
		c.VPMOVZXDQ(l, wideLow)
		c.VPMOVZXDQ(h, wideHigh)
		c.VPSLLQ(operand.Imm(16), wideHigh, wideHigh)
		c.VPADDQ(wideHigh, wideLow, wideLow)
		return wideLow
	})
}

// squareRowsByteFour writes the kernel of SquareRows for four rows of bytes at a time, as
// squareRowsByteVNNI does for one: the squares of a whole row are below 2^32, as the callers see
// to.
func squareRowsByteFour(c *build.Context) {
	k := newFourRows(c, "squareRowsByteFourVNNI", "uint8", "uint64")
	sign, ones := word(c, 0x80808080), word(c, 0x01010101)
	k.write(func(r int, m operand.Mem, last bool) {
		v, signed := c.ZMM(), c.ZMM()
		if last {
			c.VMOVDQU8_Z(m, k.mask, v)
		} else {
			c.VMOVDQU8(m, v)
		}
		c.VPXORD(sign, v, signed)
		c.VPDPBUSD(signed, v, k.one[r])
		c.VPDPBUSD(ones, v, k.other[r])
	}, func() reg.VecVirtual {
		squares, sums, wide := acrossFour(c, k.one), acrossFour(c, k.other), c.YMM()
		c.VPSLLD(operand.Imm(7), sums, sums)
		c.VPADDD(sums, squares, squares)
		c.VPMOVZXDQ(squares, wide)
		return wide
	})
}

// fourRowsKernel is a kernel that takes four rows at a time, 64 bytes of each a turn, with two
// vectors of sums for each.
type fourRowsKernel struct {
	*build.Context
	dst, x, fours, turns, stride, three reg.Register
	mask                                reg.OpmaskVirtual
	one, other                          [fourRows]reg.VecVirtual
}

// newFourRows starts the function.
func newFourRows(c *build.Context, name, entry, mask string) *fourRowsKernel {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *int64, x *" + entry + ", fours, turns, stride int, mask " + mask + ")")
	k := &fourRowsKernel{Context: c, mask: c.K(), three: c.GP64()}
	k.dst, k.x = c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("x"), c.GP64())
	k.fours, k.turns = c.Load(c.Param("fours"), c.GP64()), c.Load(c.Param("turns"), c.GP64())
	k.stride = c.Load(c.Param("stride"), c.GP64())
	c.LEAQ(operand.Mem{Base: k.stride, Index: k.stride, Scale: 2}, k.three)
	if mask == "uint32" {
		c.KMOVD(c.Load(c.Param("mask"), c.GP32()), k.mask)
	} else {
		c.KMOVQ(c.Load(c.Param("mask"), c.GP64()), k.mask)
	}
	for r := range fourRows {
		k.one[r], k.other[r] = c.ZMM(), c.ZMM()
	}
	return k
}

// write goes through the rows: add adds 64 bytes of row r, or those of the mask, and total returns
// the sums of four rows.
func (k *fourRowsKernel) write(add func(r int, m operand.Mem, last bool), total func() reg.VecVirtual) {
	at, left := k.GP64(), k.GP64()
	addAll := func(last bool) {
		for r, m := range []operand.Mem{{Base: at}, {Base: at, Index: k.stride, Scale: 1}, {Base: at, Index: k.stride, Scale: 2}, {Base: at, Index: k.three, Scale: 1}} {
			add(r, m, last)
		}
	}
	k.Label("rows")
	for r := range fourRows {
		k.VPXORQ(k.one[r], k.one[r], k.one[r])
		k.VPXORQ(k.other[r], k.other[r], k.other[r])
	}
	k.MOVQ(k.x, at)
	k.MOVQ(k.turns, left)
	k.TESTQ(left, left)
	k.JZ(operand.LabelRef("last"))
	k.Label("turn")
	addAll(false)
	k.ADDQ(operand.Imm(64), at)
	k.DECQ(left)
	k.JNZ(operand.LabelRef("turn"))
	k.Label("last")
	k.KORTESTQ(k.mask, k.mask)
	k.JZ(operand.LabelRef("total"))
	addAll(true)
	k.Label("total")
	k.VMOVDQU(total(), operand.Mem{Base: k.dst})
	k.ADDQ(operand.Imm(8*fourRows), k.dst)
	k.LEAQ(operand.Mem{Base: k.x, Index: k.stride, Scale: 4}, k.x)
	k.DECQ(k.fours)
	k.JNZ(operand.LabelRef("rows"))
	k.VZEROUPPER()
	k.RET()
}

// acrossFour returns the sums of the lanes of four vectors of 32 bits, modulo 2^32.
func acrossFour(c *build.Context, v [fourRows]reg.VecVirtual) reg.VecVirtual {
	pair := func(unpackLow, unpackHigh func(...operand.Op), a, b reg.VecVirtual) reg.VecVirtual {
		sum, other := c.ZMM(), c.ZMM()
		unpackLow(b, a, sum)
		unpackHigh(b, a, other)
		c.VPADDD(other, sum, sum)
		return sum
	}
	all := pair(c.VPUNPCKLQDQ, c.VPUNPCKHQDQ, pair(c.VPUNPCKLDQ, c.VPUNPCKHDQ, v[0], v[1]), pair(c.VPUNPCKLDQ, c.VPUNPCKHDQ, v[2], v[3]))
	half, quarter := c.YMM(), c.XMM()
	c.VEXTRACTI64X4(operand.Imm(1), all, half)
	c.VPADDD(half, all.AsY(), half)
	c.VEXTRACTI128(operand.Imm(1), half, quarter)
	c.VPADDD(quarter, half.AsX(), quarter)
	return quarter
}
