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
	for _, constant := range []struct {
		name  string
		value float64
	}{{"wholeShift", 3 << 51}, {"wholeMost", 1 << 51}, {"tailMost", 1 << 30}, {"doubleOne", 1}, {"doubleMost", math.MaxFloat64}} {
		c.StaticGlobal(constant.name)
		c.DataAttributes(attr.RODATA | attr.NOPTR)
		c.AddDatum(0, operand.U64(math.Float64bits(constant.value)))
	}
	roundBounded(c)
	shorten(c)
	measureUnits(c)
	rootsTimes(c)
	widen(c)
	interceptScores(c, false)
	interceptScores(c, true)
	dotRounded(c)
	packOneByte(c)
	packOneShort(c)
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
