package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wholePairsWide writes a kernel that brings pairs of rows together: each number of 32 bits that it
// writes has the entry of the first row below and that of the second above. Of the last vector of
// 16 it reads the entries of one mask, takes 0 for the others, and writes those of another. A
// single row after the pairs has zeros next to it.
func wholePairsWide(c *build.Context, vectors int) {
	c.Function(fmt.Sprintf("wholePairs%dAVX512", vectors))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *uint32, dstRow int, src *int16, srcRow, pairs, single int, read, write uint32)")
	dst, dstRow := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("dstRow"), c.GP64())
	src, srcRow := c.Load(c.Param("src"), c.GP64()), c.Load(c.Param("srcRow"), c.GP64())
	pairs, single := c.Load(c.Param("pairs"), c.GP64()), c.Load(c.Param("single"), c.GP64())
	read, write := c.K(), c.K()
	c.KMOVW(c.Load(c.Param("read"), c.GP32()), read)
	c.KMOVW(c.Load(c.Param("write"), c.GP32()), write)
	load := func(m operand.Mem, v int) reg.VecVirtual {
		entries := c.ZMM()
		if v == vectors-1 {
			c.VPMOVZXWD_Z(m, read, entries)
		} else {
			c.VPMOVZXWD(m, entries)
		}
		return entries
	}
	store := func(entries reg.VecVirtual, v int) {
		to := operand.Mem{Base: dst, Disp: 64 * v}
		if v == vectors-1 {
			c.VMOVDQU32(entries, write, to)
		} else {
			c.VMOVDQU32(entries, to)
		}
	}
	c.TESTQ(pairs, pairs)
	c.JZ(operand.LabelRef("last"))
	c.Label("pair")
	for v := range vectors {
		first := load(operand.Mem{Base: src, Disp: 32 * v}, v)
		second := load(operand.Mem{Base: src, Index: srcRow, Scale: 1, Disp: 32 * v}, v)
		c.VPSLLD(operand.Imm(16), second, second)
		c.VPORD(first, second, second)
		store(second, v)
	}
	// The panel on the right is next.
	c.PREFETCHT0(operand.Mem{Base: src, Disp: 32 * vectors})
	c.PREFETCHT0(operand.Mem{Base: src, Index: srcRow, Scale: 1, Disp: 32 * vectors})
	c.LEAQ(operand.Mem{Base: src, Index: srcRow, Scale: 2}, src)
	c.ADDQ(dstRow, dst)
	c.DECQ(pairs)
	c.JNZ(operand.LabelRef("pair"))
	c.Label("last")
	c.TESTQ(single, single)
	c.JZ(operand.LabelRef("done"))
	for v := range vectors {
		store(load(operand.Mem{Base: src, Disp: 32 * v}, v), v)
	}
	c.Label("done")
	c.VZEROUPPER()
	c.RET()
}

// wholePairs writes the kernel for AVX2: pairs of rows of 16 entries.
func wholePairs(c *build.Context) {
	c.Function("wholePairsAVX2")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *uint32, src *int16, srcRow, pairs int)")
	dst, src := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("src"), c.GP64())
	srcRow, pairs := c.Load(c.Param("srcRow"), c.GP64()), c.Load(c.Param("pairs"), c.GP64())
	c.Label("pair")
	for v := range 2 {
		first, second := c.YMM(), c.YMM()
		c.VPMOVZXWD(operand.Mem{Base: src, Disp: 16 * v}, first)
		c.VPMOVZXWD(operand.Mem{Base: src, Index: srcRow, Scale: 1, Disp: 16 * v}, second)
		c.VPSLLD(operand.Imm(16), second, second)
		c.VPOR(first, second, second)
		c.VMOVDQU(second, operand.Mem{Base: dst, Disp: 32 * v})
	}
	c.PREFETCHT0(operand.Mem{Base: src, Disp: 32})
	c.PREFETCHT0(operand.Mem{Base: src, Index: srcRow, Scale: 1, Disp: 32})
	c.LEAQ(operand.Mem{Base: src, Index: srcRow, Scale: 2}, src)
	c.ADDQ(operand.Imm(64), dst)
	c.DECQ(pairs)
	c.JNZ(operand.LabelRef("pair"))
	c.VZEROUPPER()
	c.RET()
}
