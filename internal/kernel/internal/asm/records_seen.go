package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halfOf is where the h-th half of a vector of 32-bit numbers stands.
func halfOf(at reg.Register, h int) operand.Mem { return operand.Mem{Base: at, Disp: 32 * h} }

// measureUnits writes the kernel of MeasureUnits.
func measureUnits(c *build.Context) {
	var shift, tailMost, one, most, intercept, rest reg.VecVirtual
	bits := c.XMM()
	eachGroup(c, "measureUnitsAVX512", "func(n2 *int64, multipliers *float32, tails *int32, bits uint64, most, intercept, rest float64, n int)",
		[]string{"n2", "multipliers", "tails"}, []int{128, 64, 64}, func() {
			shift, tailMost, one = everyLane(c, "wholeShift"), everyLane(c, "tailMost"), everyLane(c, "doubleOne")
			most, intercept, rest = argument(c, "most"), argument(c, "intercept"), argument(c, "rest")
			c.VMOVQ(c.Load(c.Param("bits"), c.GP64()), bits)
		}, func(at []reg.Register) {
			for h := range 2 {
				y, norm, counts, none := c.ZMM(), c.ZMM(), c.K(), c.K()
				c.VMOVDQU64(beside(at[0], h), y)
				c.VCVTQQ2PD(y, norm)
				c.VCMPPD(operand.U8(lessOrEqual), most, norm, counts)
				c.VPSLLQ(bits, y, y)
				c.VPTESTNMQ(y, y, none)
				c.VCVTQQ2PD(y, norm)
				c.VSQRTPD(norm, norm)
				t, multiplier := c.ZMM(), c.ZMM()
				c.VMULPD(intercept, norm, t)
				t = toNearest(c, t, shift)
				c.VCMPPD(operand.U8(lessOrEqual), tailMost, t, counts, counts)
				c.VDIVPD(norm, rest, multiplier)
				c.VMOVAPD(one, none, t)
				c.VMOVAPD(one, none, multiplier)
				single, tail, square, short := c.YMM(), c.ZMM(), c.ZMM(), c.YMM()
				c.VCVTPD2PS_Z(multiplier, counts, single)
				c.VMOVUPS(single, halfOf(at[1], h))
				c.VCVTTPD2QQ(t, tail)
				c.VPMULUDQ(tail, tail, square) // of numbers below 2^31
				c.VPADDQ_Z(square, y, counts, y)
				c.VMOVDQU64(y, beside(at[0], h))
				c.VPMOVQD_Z(tail, counts, short)
				c.VMOVDQU(short, halfOf(at[2], h))
			}
		})
	finishRecords(c)
}

// rootsTimes writes the kernel of RootsTimes.
func rootsTimes(c *build.Context) {
	eachGroup(c, "rootsTimesAVX512", "func(dst *float64, n2 *int64, units *float32, n int)", []string{"dst", "n2", "units"}, []int{128, 128, 64}, func() {}, func(at []reg.Register) {
		for h := range 2 {
			v, unit := c.ZMM(), c.ZMM()
			c.VCVTQQ2PD(beside(at[1], h), v)
			c.VSQRTPD(v, v)
			c.VCVTPS2PD(halfOf(at[2], h), unit)
			c.VMULPD(unit, v, v)
			c.VMOVUPD(v, beside(at[0], h))
		}
	})
	finishRecords(c)
}

// widen writes the kernel of Widen.
func widen(c *build.Context) {
	var factor reg.VecVirtual
	eachGroup(c, "widenAVX512", "func(dst *float64, v *float32, factor float64, n int)", []string{"dst", "v"}, []int{128, 64}, func() {
		factor = argument(c, "factor")
	}, func(at []reg.Register) {
		for h := range 2 {
			v := c.ZMM()
			c.VCVTPS2PD(halfOf(at[1], h), v)
			c.VMULPD(factor, v, v)
			c.VMOVUPD(v, beside(at[0], h))
		}
	})
	finishRecords(c)
}

// interceptScores writes the kernels of InterceptScores, for rows without a center and with one.
func interceptScores(c *build.Context, centered bool) {
	name, arguments, pointers, advance := "interceptScoresAVX512", "tails *int32, scale, weight float64", []string{"dst", "src", "units", "tails"}, []int{64, 64, 64, 64}
	if centered {
		name, arguments = "centeredScoresAVX512", "tails, betas *int32, scale, weight, center float64"
		pointers, advance = append(pointers, "betas"), append(advance, 64)
	}
	var scale, weight, center reg.VecVirtual
	eachGroup(c, name, "func(dst, src, units *float32, "+arguments+", n int)", pointers, advance, func() {
		scale, weight = argument(c, "scale"), argument(c, "weight")
		if centered {
			center = argument(c, "center")
		}
	}, func(at []reg.Register) {
		for h := range 2 {
			v, unit, scaled, beside, single := c.ZMM(), c.ZMM(), c.ZMM(), c.ZMM(), c.YMM()
			c.VCVTPS2PD(halfOf(at[1], h), v)
			c.VCVTPS2PD(halfOf(at[2], h), unit)
			c.VMULPD(scale, unit, scaled)
			c.VMULPD(v, scaled, v)
			c.VCVTDQ2PD(halfOf(at[3], h), beside)
			c.VMULPD(weight, beside, beside)
			if centered {
				moved := c.ZMM()
				c.VCVTDQ2PD(halfOf(at[4], h), moved)
				c.VMULPD(center, moved, moved)
				c.VSUBPD(moved, beside, beside)
			}
			c.VMULPD(beside, unit, beside)
			c.VADDPD(beside, v, v)
			c.VCVTPD2PS(v, single)
			c.VMOVUPS(single, halfOf(at[0], h))
		}
	})
	finishRecords(c)
}

// dotRounded writes the kernel of DotRounded.
func dotRounded(c *build.Context) {
	sum := c.ZMM()
	eachGroup(c, "dotRoundedAVX512", "func(q *float64, v *int32, n int) (sum int64)", []string{"q", "v"}, []int{128, 64}, func() {
		c.VPXORQ(sum, sum, sum)
	}, func(at []reg.Register) {
		for h := range 2 {
			q, v := c.ZMM(), c.ZMM()
			c.VCVTTPD2QQ(beside(at[0], h), q)
			c.VPMOVSXDQ(halfOf(at[1], h), v)
			c.VPMULLQ(v, q, q)
			c.VPADDQ(q, sum, sum)
		}
	})
	four, two, other := c.YMM(), c.XMM(), c.XMM()
	c.VEXTRACTI64X4(operand.Imm(1), sum, four)
	c.VPADDQ(sum.AsY(), four, four)
	c.VEXTRACTI128(operand.Imm(1), four, two)
	c.VPADDQ(four.AsX(), two, two)
	c.VPSHUFD(operand.Imm(0x4e), two, other)
	c.VPADDQ(other, two, two)
	result := c.GP64()
	c.VMOVQ(two, result)
	c.Store(result, c.ReturnIndex(0))
	finishRecords(c)
}
