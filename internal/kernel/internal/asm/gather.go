package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// gather writes what asks for the memory of a row that AppendRows will copy, without waiting for it: into the second
// cache, which waits for more lines at a time than the first. Memory that is not there is not asked for.
func gather(c *build.Context) {
	const line = 64
	c.Function("fetchRow")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(row *byte, n int)")
	row, n := c.Load(c.Param("row"), c.GP64()), c.Load(c.Param("n"), c.GP64())
	c.ADDQ(row, n) // the end
	c.Label("next")
	c.PREFETCHT1(operand.Mem{Base: row})
	c.ADDQ(operand.Imm(line), row)
	c.CMPQ(row, n)
	c.JLT(operand.LabelRef("next"))
	c.PREFETCHT1(operand.Mem{Base: n, Disp: -1}) // rows begin anywhere in a line
	c.RET()
}
