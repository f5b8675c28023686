package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// whole writes the kernels of DotWhole and SquareWhole: 16 entries a turn, multiplied in pairs to 32
// bits, widened and added up in four sums of 64 bits.
func whole(c *build.Context) {
	for _, entry := range []string{"int16", "uint8"} {
		wholeKernel(c, entry, false)
		wholeKernel(c, entry, true)
	}
	wholeRows(c)
}

// wholeKernel writes one kernel; n is a positive multiple of 16.
func wholeKernel(c *build.Context, entry string, square bool) {
	names := map[string]string{"int16": "Short", "uint8": "Byte"}
	name, arguments := "dot"+names[entry]+"AVX2", "x *"+entry+", m *int16, n int"
	if square {
		name, arguments = "square"+names[entry]+"AVX2", "x *"+entry+", n int"
	}
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(" + arguments + ") (sum int64)")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	var m reg.Register
	if !square {
		m = c.Load(c.Param("m"), c.GP64())
	}
	sum := c.YMM()
	c.VPXOR(sum, sum, sum)
	i := c.GP64()
	c.XORQ(i, i)
	c.Label("turn")
	v := c.YMM()
	if entry == "uint8" {
		c.VPMOVZXBW(operand.Mem{Base: x, Index: i, Scale: 1}, v)
	} else {
		c.VMOVDQU(operand.Mem{Base: x, Index: i, Scale: 2}, v)
	}
	if square {
		c.VPMADDWD(v, v, v)
	} else {
		c.VPMADDWD(operand.Mem{Base: m, Index: i, Scale: 2}, v, v)
	}
	half, wide, widen := c.XMM(), c.YMM(), c.VPMOVSXDQ
	if square {
		widen = c.VPMOVZXDQ // two squares of -32768 are 2^31
	}
	c.VEXTRACTI128(operand.Imm(1), v, half)
	widen(half, wide)
	c.VPADDQ(wide, sum, sum)
	widen(v.AsX(), wide)
	c.VPADDQ(wide, sum, sum)
	c.ADDQ(operand.Imm(16), i)
	c.CMPQ(i, n)
	c.JL(operand.LabelRef("turn"))
	high := c.XMM()
	c.VEXTRACTI128(operand.Imm(1), sum, high)
	c.VPADDQ(high, sum.AsX(), high)
	c.VPSHUFD(operand.Imm(0x4e), high, half)
	c.VPADDQ(half, high, high)
	result := c.GP64()
	c.VMOVQ(high, result)
	c.Store(result, c.ReturnIndex(0))
	c.VZEROUPPER()
	c.RET()
}
