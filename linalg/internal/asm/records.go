package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// recordGroup is how many records the kernels of records.go take together.
const recordGroup = 16

// records writes the kernels of records.go.
func records(c *build.Context) {
	c.StaticGlobal("wholeShift")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U64(math.Float64bits(3<<51)))
	c.StaticGlobal("partLess")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U64(math.Float64bits(1-0x1p-50)))
	roundWithin(c)
	divideByRoots(c)
	lessLabels(c)
	multiply(c)
}

// eachGroup starts a function and goes through groups of records: do gets the addresses of its pointers, and advance
// says how many bytes each of them moves on.
func eachGroup(c *build.Context, name, signature string, pointers []string, advance []int, prepare func(), do func(at []reg.Register)) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr(signature)
	at := make([]reg.Register, len(pointers))
	for i, p := range pointers {
		at[i] = c.Load(c.Param(p), c.GP64())
	}
	n := c.Load(c.Param("n"), c.GP64())
	prepare()
	c.Label("again")
	do(at)
	for i, bytes := range advance {
		c.ADDQ(operand.U32(bytes), at[i])
	}
	c.SUBQ(operand.Imm(recordGroup), n)
	c.JNZ(operand.LabelRef("again"))
}

// finishRecords returns from the function.
func finishRecords(c *build.Context) {
	c.VZEROUPPER()
	c.RET()
}

// roundWithin writes the kernel of RoundWithin: it gathers the bits of what is not within.
func roundWithin(c *build.Context) {
	shift, magnitude, beyond := c.ZMM(), c.ZMM(), c.K()
	eachGroup(c, "roundWithinAVX512", "func(dst, v, scale, most *float64, n int) (beyond uint64)", []string{"dst", "v", "scale", "most"}, []int{128, 128, 128, 128}, func() {
		c.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol("wholeShift"), 0), shift)
		c.VPTERNLOGQ(operand.U8(0xff), magnitude, magnitude, magnitude)
		c.VPSRLQ(operand.U8(1), magnitude, magnitude)
		c.KXORB(beyond, beyond, beyond)
	}, func(at []reg.Register) {
		const notLessOrEqual = 0x16 // true for NaN too, and silent
		for h := range 2 {
			v, size, mask := c.ZMM(), c.ZMM(), c.K()
			c.VMOVUPD(operand.Mem{Base: at[1], Disp: 64 * h}, v)
			c.VMULPD(operand.Mem{Base: at[2], Disp: 64 * h}, v, v)
			c.VADDPD(shift, v, v)
			c.VSUBPD(shift, v, v)
			c.VANDPD(magnitude, v, size)
			c.VCMPPD(operand.U8(notLessOrEqual), operand.Mem{Base: at[3], Disp: 64 * h}, size, mask)
			c.KORB(mask, beyond, beyond)
			c.VMOVUPD(v, operand.Mem{Base: at[0], Disp: 64 * h})
		}
	})
	some := c.GP32()
	c.KMOVB(beyond, some)
	c.Store(some.As64(), c.ReturnIndex(0))
	finishRecords(c)
}

// divideByRoots writes the kernel of DivideByRoots.
func divideByRoots(c *build.Context) {
	bound, part := c.ZMM(), c.ZMM()
	eachGroup(c, "divideByRootsAVX512", "func(dst *float64, n2 *int64, bound float64, n int)", []string{"dst", "n2"}, []int{128, 128}, func() {
		one := c.Load(c.Param("bound"), c.XMM()).(reg.VecVirtual)
		c.VBROADCASTSD(one, bound)
		c.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol("partLess"), 0), part)
	}, func(at []reg.Register) {
		const towardZero = 0x0b // without an exception
		for h := range 2 {
			v := c.ZMM()
			c.VCVTQQ2PD(operand.Mem{Base: at[1], Disp: 64 * h}, v)
			c.VSQRTPD(v, v)
			c.VDIVPD(v, bound, v)
			c.VMULPD(part, v, v)
			c.VRNDSCALEPD(operand.U8(towardZero), v, v)
			c.VMOVUPD(v, operand.Mem{Base: at[0], Disp: 64 * h})
		}
	})
	finishRecords(c)
}

// lessLabels writes the kernel of LessLabels.
func lessLabels(c *build.Context) {
	eachGroup(c, "lessLabelsAVX512", "func(dst *float64, p, labels *float32, n int)", []string{"dst", "p", "labels"}, []int{128, 64, 64}, func() {}, func(at []reg.Register) {
		const ordered = 0x07 // neither is NaN
		for h := range 2 {
			p, label, mask := c.ZMM(), c.ZMM(), c.K()
			c.VCVTPS2PD(operand.Mem{Base: at[1], Disp: 32 * h}, p)
			c.VCVTPS2PD(operand.Mem{Base: at[2], Disp: 32 * h}, label)
			c.VCMPPD(operand.U8(ordered), label, label, mask)
			c.VSUBPD_Z(label, p, mask, p)
			c.VMOVUPD(p, operand.Mem{Base: at[0], Disp: 64 * h})
		}
	})
	finishRecords(c)
}

// multiply writes the kernel of Multiply.
func multiply(c *build.Context) {
	eachGroup(c, "multiplyAVX512", "func(dst, a, b *float32, n int)", []string{"dst", "a", "b"}, []int{64, 64, 64}, func() {}, func(at []reg.Register) {
		v := c.ZMM()
		c.VMOVUPS(operand.Mem{Base: at[1]}, v)
		c.VMULPS(operand.Mem{Base: at[2]}, v, v)
		c.VMOVUPS(v, operand.Mem{Base: at[0]})
	})
	finishRecords(c)
}
