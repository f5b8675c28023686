package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// doubleRows writes the kernels of double_rows.go.
func doubleRows(c *build.Context) {
	rowProducts(c)
	addRowProducts(c)
}

// rowProducts does four rows, with a positive multiple of 16 columns; stride is that of the rows of
// the matrix in bytes.
func rowProducts(c *build.Context) {
	const rows, halves = 4, 2
	c.Function("rowProductsAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst, matrix *float64, stride int, v *float64, columns int)")
	dst, stride := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("stride"), c.GP64())
	v, columns := c.Load(c.Param("v"), c.GP64()), c.Load(c.Param("columns"), c.GP64())
	var at [rows]reg.GPVirtual
	var sums [rows][halves]reg.VecVirtual
	for r := range rows {
		at[r] = c.GP64()
		if r == 0 {
			c.Load(c.Param("matrix"), at[r])
		} else {
			c.MOVQ(at[r-1], at[r])
			c.ADDQ(stride, at[r])
		}
		for h := range halves {
			sums[r][h] = c.ZMM()
			c.VPXORQ(sums[r][h], sums[r][h], sums[r][h])
		}
	}
	c.Label("columns")
	for h := range halves {
		numbers := c.ZMM()
		c.VMOVUPD(operand.Mem{Base: v, Disp: 64 * h}, numbers)
		for r := range rows {
			c.VFMADD231PD(operand.Mem{Base: at[r], Disp: 64 * h}, numbers, sums[r][h])
		}
	}
	for r := range rows {
		c.ADDQ(operand.U32(128), at[r])
	}
	c.ADDQ(operand.U32(128), v)
	c.SUBQ(operand.Imm(16), columns)
	c.JNZ(operand.LabelRef("columns"))
	for r := range rows {
		four, two, one := c.YMM(), c.XMM(), c.XMM()
		c.VADDPD(sums[r][1], sums[r][0], sums[r][0])
		c.VEXTRACTF64X4(operand.Imm(1), sums[r][0], four)
		c.VADDPD(sums[r][0].AsY(), four, four)
		c.VEXTRACTF128(operand.Imm(1), four, two)
		c.VADDPD(four.AsX(), two, two)
		c.VPERMILPD(operand.Imm(1), two, one)
		c.VADDSD(one, two, two)
		c.VMOVSD(two, operand.Mem{Base: dst, Disp: 8 * r})
	}
	c.VZEROUPPER()
	c.RET()
}

// addRowProducts adds to 64 columns those of a positive number of rows; stride is that of the rows
// of the matrix in bytes.
func addRowProducts(c *build.Context) {
	c.Function("addRowProductsAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst, matrix *float64, stride int, w *float64, rows int)")
	dst, matrix := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("matrix"), c.GP64())
	stride, w, rows := c.Load(c.Param("stride"), c.GP64()), c.Load(c.Param("w"), c.GP64()), c.Load(c.Param("rows"), c.GP64())
	var sums [8]reg.VecVirtual
	for q := range sums {
		sums[q] = c.ZMM()
		c.VMOVUPD(operand.Mem{Base: dst, Disp: 64 * q}, sums[q])
	}
	factor := c.ZMM()
	c.Label("row")
	c.VBROADCASTSD(operand.Mem{Base: w}, factor)
	for q, s := range sums {
		c.VFMADD231PD(operand.Mem{Base: matrix, Disp: 64 * q}, factor, s)
	}
	c.ADDQ(operand.Imm(8), w)
	c.ADDQ(stride, matrix)
	c.DECQ(rows)
	c.JNZ(operand.LabelRef("row"))
	for q, s := range sums {
		c.VMOVUPD(s, operand.Mem{Base: dst, Disp: 64 * q})
	}
	c.VZEROUPPER()
	c.RET()
}
