package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemmPack writes the kernels that bring B into panels. They need AVX only and serve both
// sets of instructions.
func gemmPack(c *build.Context) {
	transpose32(c)
	transpose64(c)
	for units := 1; units <= 4; units *= 2 {
		copyRows(c, units)
	}
}

// copyRows writes the kernel that copies rows of the given number of 32 bytes, one after the other.
// It fetches what stands right of them, for it is copied next.
func copyRows(c *build.Context, units int) {
	c.Function(fmt.Sprintf("gemmCopy%dAVX2", units))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst, src *byte, srcRow, rows int)")
	dst, src := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("src"), c.GP64())
	step, rows := c.Load(c.Param("srcRow"), c.GP64()), c.Load(c.Param("rows"), c.GP64())
	c.Label("row")
	for u := range units {
		r := c.YMM()
		c.VMOVUPS(operand.Mem{Base: src, Disp: 32 * u}, r)
		c.VMOVUPS(r, operand.Mem{Base: dst, Disp: 32 * u})
	}
	for line := 0; line < 32*units; line += 64 {
		c.PREFETCHT1(operand.Mem{Base: src, Disp: 32*units + line})
	}
	c.ADDQ(step, src)
	c.ADDQ(operand.Imm(uint64(32*units)), dst)
	c.SUBQ(operand.Imm(1), rows)
	c.JNE(operand.LabelRef("row"))
	c.VZEROUPPER()
	c.RET()
}

// transposeState is what the kernels that transpose share.
type transposeState struct {
	*build.Context
	dst, dstRow reg.Register
	low, high   reg.Register // the first row of each half of those that become columns
	row, row3   reg.Register
	blocks      reg.Register
}

func (s *transposeState) begin(name string, half int) {
	s.Function(name)
	s.Attributes(attr.NOSPLIT)
	s.SignatureExpr("func(dst *byte, dstRow int, src *byte, srcRow, blocks int)")
	s.dst, s.dstRow = s.Load(s.Param("dst"), s.GP64()), s.Load(s.Param("dstRow"), s.GP64())
	s.low, s.row = s.Load(s.Param("src"), s.GP64()), s.Load(s.Param("srcRow"), s.GP64())
	s.blocks = s.Load(s.Param("blocks"), s.GP64())
	s.high, s.row3 = s.GP64(), s.GP64()
	s.LEAQ(operand.Mem{Base: s.low, Index: s.row, Scale: uint8(half)}, s.high)
	s.LEAQ(operand.Mem{Base: s.row, Index: s.row, Scale: 2}, s.row3)
	s.Label("block")
}

// load reads 16 bytes of row i of each half.
func (s *transposeState) load(i int) reg.VecVirtual {
	r := s.YMM()
	s.VMOVUPS(rowPlace(s.low, s.row, s.row3, i), r.AsX())
	s.VINSERTF128(operand.Imm(1), rowPlace(s.high, s.row, s.row3, i), r, r)
	return r
}

// store writes one row of the result.
func (s *transposeState) store(r reg.VecVirtual) {
	s.VMOVUPS(r, operand.Mem{Base: s.dst})
	s.ADDQ(s.dstRow, s.dst)
}

func (s *transposeState) end() {
	s.ADDQ(operand.Imm(16), s.low)
	s.ADDQ(operand.Imm(16), s.high)
	s.SUBQ(operand.Imm(1), s.blocks)
	s.JNE(operand.LabelRef("block"))
	s.VZEROUPPER()
	s.RET()
}

// transpose32 writes the kernel that turns 8 rows of float32 into columns, 4 entries of each
// a block.
func transpose32(c *build.Context) {
	s := &transposeState{Context: c}
	s.begin("gemm32TransposeAVX2", 4)
	var r [4]reg.VecVirtual
	for i := range r {
		r[i] = s.load(i)
	}
	three := func(instruction func(a, b, d operand.Op), a, b reg.VecVirtual) reg.VecVirtual {
		d := c.YMM()
		instruction(b, a, d)
		return d
	}
	low := func(a, b, d operand.Op) { c.VUNPCKLPS(a, b, d) }
	high := func(a, b, d operand.Op) { c.VUNPCKHPS(a, b, d) }
	for _, unpack := range []func(a, b, d operand.Op){low, high} {
		a, b := three(unpack, r[0], r[1]), three(unpack, r[2], r[3])
		for _, order := range []uint64{0x44, 0xee} {
			d := c.YMM()
			c.VSHUFPS(operand.U8(order), b, a, d)
			s.store(d)
		}
	}
	s.end()
}

// transpose64 writes the kernel that turns 4 rows of float64 into columns, 2 entries of each
// a block.
func transpose64(c *build.Context) {
	s := &transposeState{Context: c}
	s.begin("gemm64TransposeAVX2", 2)
	r0, r1, d := s.load(0), s.load(1), c.YMM()
	c.VUNPCKLPD(r1, r0, d)
	s.store(d)
	c.VUNPCKHPD(r1, r0, d)
	s.store(d)
	s.end()
}
