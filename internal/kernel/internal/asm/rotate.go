package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rotate writes the kernel of RotateRows: rows of four vectors. The lower row of a rotation is the upper one of the
// next and stays in registers.
func rotate(c *build.Context) {
	const vectors = 4
	c.Function("rotateRowsAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(z *float64, rotations *float64, n int)")
	z, rotations, n := c.Load(c.Param("z"), c.GP64()), c.Load(c.Param("rotations"), c.GP64()), c.Load(c.Param("n"), c.GP64())
	var upper, lower, out [vectors]reg.VecVirtual
	for v := range vectors {
		upper[v], lower[v], out[v] = c.ZMM(), c.ZMM(), c.ZMM()
		c.VMOVUPD(operand.Mem{Base: z, Disp: 64 * v}, upper[v])
	}
	cosine, sine := c.ZMM(), c.ZMM()
	c.Label("turn")
	c.VBROADCASTSD(operand.Mem{Base: rotations}, cosine)
	c.VBROADCASTSD(operand.Mem{Base: rotations, Disp: 8}, sine)
	for v := range vectors {
		c.VMOVUPD(operand.Mem{Base: z, Disp: 64 * (vectors + v)}, lower[v])
		c.VMULPD(sine, lower[v], out[v])
		c.VFMSUB231PD(cosine, upper[v], out[v]) // c·upper - s·lower
		c.VMULPD(sine, upper[v], upper[v])
		c.VFMADD231PD(cosine, lower[v], upper[v]) // s·upper + c·lower
		c.VMOVUPD(out[v], operand.Mem{Base: z, Disp: 64 * v})
	}
	c.ADDQ(operand.Imm(16), rotations)
	c.ADDQ(operand.U32(64*vectors), z)
	c.SUBQ(operand.Imm(1), n)
	c.JNZ(operand.LabelRef("turn"))
	for v := range vectors {
		c.VMOVUPD(upper[v], operand.Mem{Base: z, Disp: 64 * v})
	}
	c.VZEROUPPER()
	c.RET()
}
