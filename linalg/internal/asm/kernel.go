package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// family is one set of vector instructions and how a product is made of them.
type family struct {
	name  string
	lanes int // numbers of 64 bits in a vector

	// prepare spreads the coefficient c over the vectors that block multiplies with.
	prepare func(k *kernelState, c reg.Register) []reg.VecVirtual

	// block adds the products of the next vectors of entries, as many as given.
	block func(k *kernelState, vectors int)
}

// kernelState is what the parts of a kernel share.
type kernelState struct {
	*build.Context
	family
	dst          reg.Register
	rows         []reg.Register
	coefficients [][]reg.VecVirtual // of each row
	index        reg.GPVirtual      // entries done
}

// addScaled writes the kernels of AddScaled and AddScaled4.
func addScaled(c *build.Context) {
	for _, f := range []family{avx512, avx2} {
		kernel(c, f, 1)
		kernel(c, f, 4)
	}
}

// kernel writes the kernel for one row, or for four. It takes two vectors a turn, then
// one if one is left; n is a positive multiple of the lanes.
func kernel(c *build.Context, f family, rows int) {
	k := &kernelState{Context: c, family: f}
	k.declare(rows)
	n := c.Load(c.Param("n"), c.GP64())
	k.index = c.GP64()
	c.XORQ(k.index, k.index)
	last := c.GP64()
	c.MOVQ(n, last)
	c.SUBQ(operand.Imm(uint64(2*f.lanes)), last)
	c.JL(operand.LabelRef("one"))
	c.Label("two")
	f.block(k, 2)
	c.ADDQ(operand.Imm(uint64(2*f.lanes)), k.index)
	c.CMPQ(k.index, last)
	c.JLE(operand.LabelRef("two"))
	c.Label("one")
	c.CMPQ(k.index, n)
	c.JGE(operand.LabelRef("done"))
	f.block(k, 1)
	c.Label("done")
	c.VZEROUPPER()
	c.RET()
}

// declare begins the function and loads its arguments, all but n.
func (k *kernelState) declare(rows int) {
	name, signature := "addScaled"+k.name, "func(dst *int64, c int64, x *int16, n int)"
	if rows == 4 {
		name, signature = "addScaled4"+k.name, "func(dst *int64, c *[4]int64, x0, x1, x2, x3 *int16, n int)"
	}
	k.Function(name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr(signature)
	k.dst = k.Load(k.Param("dst"), k.GP64())
	if rows == 1 {
		k.rows = []reg.Register{k.Load(k.Param("x"), k.GP64())}
		c := k.Load(k.Param("c"), k.GP64())
		k.coefficients = [][]reg.VecVirtual{k.prepare(k, c)}
		return
	}
	c := k.Load(k.Param("c"), k.GP64())
	for r := range rows {
		k.rows = append(k.rows, k.Load(k.Param(fmt.Sprint("x", r)), k.GP64()))
		one := k.GP64()
		k.MOVQ(operand.Mem{Base: c, Disp: 8 * r}, one)
		k.coefficients = append(k.coefficients, k.prepare(k, one))
	}
}

// entry is the place of the v-th vector of this turn in a row.
func (k *kernelState) entry(row, v int) operand.Mem {
	return operand.Mem{Base: k.rows[row], Index: k.index, Scale: 2, Disp: 2 * v * k.lanes}
}

// sum is the place of the v-th vector of this turn in dst.
func (k *kernelState) sum(v int) operand.Mem {
	return operand.Mem{Base: k.dst, Index: k.index, Scale: 8, Disp: 8 * v * k.lanes}
}
