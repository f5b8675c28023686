package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Comparisons of floats that raise no exception; those with "not" are true for NaN.
const (
	lessOrEqual    = 0x12
	notLessOrEqual = 0x16
	atLeast        = 0x1d
	isEqual        = 0x00
)

// towardZero is a way to round.
const towardZero = 0x0b

// everyLane loads a constant, or an argument, into every lane.
func everyLane(c *build.Context, name string) reg.VecVirtual {
	v := c.ZMM()
	c.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol(name), 0), v)
	return v
}

func argument(c *build.Context, name string) reg.VecVirtual {
	v := c.ZMM()
	one := c.Load(c.Param(name), c.XMM()).(reg.VecVirtual)
	c.VBROADCASTSD(one, v)
	return v
}

// ones returns a vector of bits that are all set, shifted right.
func ones(c *build.Context, shift uint64) reg.VecVirtual {
	v := c.ZMM()
	c.VPTERNLOGQ(operand.U8(0xff), v, v, v)
	c.VPSRLQ(operand.U8(shift), v, v)
	return v
}

// beside is where the h-th vector of a group stands.
func beside(at reg.Register, h int) operand.Mem { return operand.Mem{Base: at, Disp: 64 * h} }

// toNearest rounds to the nearest integer, with wholeShift.
func toNearest(c *build.Context, v, shift reg.VecVirtual) reg.VecVirtual {
	f := c.ZMM()
	c.VADDPD(shift, v, f)
	c.VSUBPD(shift, f, f)
	return f
}

// roundBounded writes the kernel of RoundBounded: it gathers the bits of what is in doubt.
func roundBounded(c *build.Context) {
	var shift, most, magnitude, low, high, none, one reg.VecVirtual
	within := []string{"within0", "within1"}
	doubt := c.K()
	eachGroup(c, "roundBoundedAVX512", "func(dst, v, scales *float64, n2 *int64, low, high float64, n int) (doubt uint64)",
		[]string{"dst", "v", "scales", "n2"}, []int{128, 128, 128, 128}, func() {
			shift, most, one, magnitude, none = everyLane(c, "wholeShift"), everyLane(c, "wholeMost"), everyLane(c, "doubleOne"), ones(c, 1), c.ZMM()
			low, high = argument(c, "low"), argument(c, "high")
			c.VPXORQ(none, none, none)
			c.KXORB(doubt, doubt, doubt)
		}, func(at []reg.Register) {
			for h := range 2 {
				v, n2, size := c.ZMM(), c.ZMM(), c.ZMM()
				c.VMOVUPD(beside(at[1], h), v)
				c.VMULPD(beside(at[2], h), v, v)
				c.VCVTQQ2PD(beside(at[3], h), n2)
				counts, still := c.K(), c.K()
				c.VCMPPD(operand.U8(atLeast), one, n2, counts)
				c.VCMPPD(operand.U8(isEqual), none, n2, still)
				f := toNearest(c, v, shift)
				c.VANDPD(magnitude, f, size)
				c.VCMPPD(operand.U8(lessOrEqual), most, size, counts, counts)
				square := squareTimes(c, f, n2)
				sure, beyond := c.K(), c.K()
				c.VCMPPD(operand.U8(lessOrEqual), low, square, counts, sure)
				c.KORTESTB(sure, sure)
				c.JCS(operand.LabelRef(within[h])) // all of them, and no row is of zeros
				c.VCMPPD(operand.U8(atLeast), high, square, counts, beyond)
				c.VRNDSCALEPD(operand.U8(towardZero), v, v)
				c.VADDPD(none, v, v) // a zero has no sign
				square = squareTimes(c, v, n2)
				c.VCMPPD(operand.U8(lessOrEqual), low, square, beyond, beyond)
				c.VMOVAPD(v, beyond, f)
				c.VMOVAPD(none, still, f)
				c.KORB(sure, beyond, sure)
				c.KORB(still, sure, sure)
				c.KNOTB(sure, sure)
				c.KORB(sure, doubt, doubt)
				c.VPTERNLOGQ(operand.U8(0xff), f, f, sure, f) // a NaN
				c.Label(within[h])
				c.VMOVUPD(f, beside(at[0], h))
			}
		})
	some := c.GP32()
	c.KMOVB(doubt, some)
	c.Store(some.As64(), c.ReturnIndex(0))
	finishRecords(c)
}

// squareTimes returns v·v·n.
func squareTimes(c *build.Context, v, n reg.VecVirtual) reg.VecVirtual {
	square := c.ZMM()
	c.VMULPD(v, v, square)
	c.VMULPD(n, square, square)
	return square
}

// shorten writes the kernel of Shorten.
func shorten(c *build.Context) {
	var most, finite, magnitude reg.VecVirtual
	within := []string{"within0", "within1"}
	eachGroup(c, "shortenAVX512", "func(v, norms *float64, most float64, n int)", []string{"v", "norms"}, []int{128, 128}, func() {
		most, finite, magnitude = argument(c, "most"), everyLane(c, "doubleMost"), ones(c, 1)
	}, func(at []reg.Register) {
		for h := range 2 {
			v, norm, factor, long, number := c.ZMM(), c.ZMM(), c.ZMM(), c.K(), c.K()
			c.VMOVUPD(beside(at[0], h), v)
			c.VANDPD(magnitude, v, norm)
			c.VMULPD(beside(at[1], h), norm, norm)
			c.VCMPPD(operand.U8(notLessOrEqual), most, norm, long)
			c.KORTESTB(long, long)
			c.JZ(operand.LabelRef(within[h])) // divisions take time
			c.VCMPPD(operand.U8(lessOrEqual), finite, norm, number)
			c.VDIVPD_Z(norm, most, number, factor)
			c.VMULPD(factor, v, long, v)
			c.VMOVUPD(v, beside(at[0], h))
			c.Label(within[h])
		}
	})
	finishRecords(c)
}
