package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fourRows is how many rows squareRowsShortFour takes together.
const fourRows = 4

// squareRowsShortFour writes the kernel of SquareRows for four rows of 16 bits at a time, 32 entries a turn. The sum S of the
// squares of n pairs, each below 2^32, is told by two sums of 32 bits: L = S modulo 2^32, and H, that of the pairs' upper 16
// bits, which n ≤ 2^16 pairs bring to at most 2^31. Since 0 ≤ S - 2^16·H < 2^32, S is 2^16·H and L - 2^16·H modulo 2^32.
func squareRowsShortFour(c *build.Context) {
	c.Function("squareRowsShortFourAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *int64, x *int16, fours, turns, stride int, mask uint32)")
	dst, x := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("x"), c.GP64())
	fours, turns := c.Load(c.Param("fours"), c.GP64()), c.Load(c.Param("turns"), c.GP64())
	stride, three := c.Load(c.Param("stride"), c.GP64()), c.GP64()
	c.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
	bits, mask := c.Load(c.Param("mask"), c.GP32()), c.K()
	c.KMOVD(bits, mask)
	var low, high [fourRows]reg.VecVirtual
	for r := range fourRows {
		low[r], high[r] = c.ZMM(), c.ZMM()
	}
	at, left := c.GP64(), c.GP64()
	add := func(last bool) {
		for r, m := range []operand.Mem{{Base: at}, {Base: at, Index: stride, Scale: 1}, {Base: at, Index: stride, Scale: 2}, {Base: at, Index: three, Scale: 1}} {
			v := c.ZMM()
			if last {
				c.VMOVDQU16_Z(m, mask, v)
			} else {
				c.VMOVDQU16(m, v)
			}
			c.VPMADDWD(v, v, v)
			c.VPADDD(v, low[r], low[r])
			c.VPSRLD(operand.Imm(16), v, v)
			c.VPADDD(v, high[r], high[r])
		}
	}
	c.Label("rows")
	for r := range fourRows {
		c.VPXORQ(low[r], low[r], low[r])
		c.VPXORQ(high[r], high[r], high[r])
	}
	c.MOVQ(x, at)
	c.MOVQ(turns, left)
	c.TESTQ(left, left)
	c.JZ(operand.LabelRef("last"))
	c.Label("turn")
	add(false)
	c.ADDQ(operand.Imm(64), at)
	c.DECQ(left)
	c.JNZ(operand.LabelRef("turn"))
	c.Label("last")
	c.TESTL(bits, bits)
	c.JZ(operand.LabelRef("total"))
	add(true)
	c.Label("total")
	l, h := acrossFour(c, low), acrossFour(c, high)
	shifted, wideLow, wideHigh := c.XMM(), c.YMM(), c.YMM()
	c.VPSLLD(operand.Imm(16), h, shifted)
	c.VPSUBD(shifted, l, l)
	c.VPMOVZXDQ(l, wideLow)
	c.VPMOVZXDQ(h, wideHigh)
	c.VPSLLQ(operand.Imm(16), wideHigh, wideHigh)
	c.VPADDQ(wideHigh, wideLow, wideLow)
	c.VMOVDQU(wideLow, operand.Mem{Base: dst})
	c.ADDQ(operand.Imm(8*fourRows), dst)
	c.LEAQ(operand.Mem{Base: x, Index: stride, Scale: 4}, x)
	c.DECQ(fours)
	c.JNZ(operand.LabelRef("rows"))
	c.VZEROUPPER()
	c.RET()
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
