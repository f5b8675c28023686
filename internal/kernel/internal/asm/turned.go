package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turns writes the kernels of turned.go.
func turns(c *build.Context) {
	turnWhole(c)
	turnBack(c)
	turnedSquares(c)
}

// turnWhole takes a positive multiple of 16 columns; stride is that of the rows of the matrix in bytes.
func turnWhole(c *build.Context) {
	c.Function("turnWholeAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *int64, matrix *int16, v *int64, rows, stride, columns int)")
	dst, matrix := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("matrix"), c.GP64())
	v, rows := c.Load(c.Param("v"), c.GP64()), c.Load(c.Param("rows"), c.GP64())
	stride, columns := c.Load(c.Param("stride"), c.GP64()), c.Load(c.Param("columns"), c.GP64())
	entry, number, left, sum := c.GP64(), c.GP64(), c.GP64(), c.GP64()
	sums, parts := [2]reg.VecVirtual{c.ZMM(), c.ZMM()}, [2]reg.VecVirtual{c.ZMM(), c.ZMM()}
	c.Label("row")
	c.MOVQ(matrix, entry)
	c.MOVQ(v, number)
	c.MOVQ(columns, left)
	for _, s := range sums {
		c.VPXORQ(s, s, s)
	}
	c.Label("columns")
	for h := range 2 {
		c.VPMOVSXWQ(operand.Mem{Base: entry, Disp: 16 * h}, parts[h])
		c.VPMULLQ(operand.Mem{Base: number, Disp: 64 * h}, parts[h], parts[h])
		c.VPADDQ(parts[h], sums[h], sums[h])
	}
	c.ADDQ(operand.Imm(32), entry)
	c.ADDQ(operand.Imm(128), number)
	c.SUBQ(operand.Imm(16), left)
	c.JNZ(operand.LabelRef("columns"))
	four, two, other := c.YMM(), c.XMM(), c.XMM()
	c.VPADDQ(sums[1], sums[0], sums[0])
	c.VEXTRACTI64X4(operand.Imm(1), sums[0], four)
	c.VPADDQ(sums[0].AsY(), four, four)
	c.VEXTRACTI128(operand.Imm(1), four, two)
	c.VPADDQ(four.AsX(), two, two)
	c.VPSHUFD(operand.Imm(0x4e), two, other)
	c.VPADDQ(other, two, two)
	c.VMOVQ(two, sum)
	c.ADDQ(sum, operand.Mem{Base: dst})
	c.ADDQ(operand.Imm(8), dst)
	c.ADDQ(stride, matrix)
	c.DECQ(rows)
	c.JNZ(operand.LabelRef("row"))
	c.VZEROUPPER()
	c.RET()
}

// turnBack takes 32 columns of a positive number of rows; stride is that of the rows of the matrix in bytes.
func turnBack(c *build.Context) {
	c.Function("turnBackAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *float32, matrix *int16, w *float64, rows, stride int)")
	dst, matrix := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("matrix"), c.GP64())
	w, rows, stride := c.Load(c.Param("w"), c.GP64()), c.Load(c.Param("rows"), c.GP64()), c.Load(c.Param("stride"), c.GP64())
	var sums [4]reg.VecVirtual
	for q := range sums {
		sums[q] = c.ZMM()
		c.VPXORQ(sums[q], sums[q], sums[q])
	}
	factor := c.ZMM()
	c.Label("row")
	c.VBROADCASTSD(operand.Mem{Base: w}, factor)
	for q := range sums {
		short, wide := c.YMM(), c.ZMM()
		c.VPMOVSXWD(operand.Mem{Base: matrix, Disp: 16 * q}, short)
		c.VCVTDQ2PD(short, wide)
		c.VFMADD231PD(factor, wide, sums[q])
	}
	c.ADDQ(operand.Imm(8), w)
	c.ADDQ(stride, matrix)
	c.DECQ(rows)
	c.JNZ(operand.LabelRef("row"))
	for q := range sums {
		single := c.YMM()
		c.VCVTPD2PS(sums[q], single)
		c.VMOVUPS(single, operand.Mem{Base: dst, Disp: 32 * q})
	}
	c.VZEROUPPER()
	c.RET()
}
