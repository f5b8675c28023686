package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bytesOf writes a static table of bytes.
func bytesOf(c *build.Context, name string, values []byte) {
	c.StaticGlobal(name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, v := range values {
		c.AddDatum(i, operand.U8(v))
	}
}

// table loads a static table of 64 bytes.
func table(c *build.Context, name string) reg.VecVirtual {
	v := c.ZMM()
	c.VMOVDQU64(operand.NewDataAddr(operand.NewStaticSymbol(name), 0), v)
	return v
}

// word is 32 bits in every lane.
func word(c *build.Context, bits uint32) reg.VecVirtual {
	one, v := c.GP32(), c.ZMM()
	c.MOVL(operand.U32(bits), one)
	c.VPBROADCASTD(one, v)
	return v
}

// integers loads the sixteen factors of a group as integers of 32 bits.
func integers(c *build.Context, at reg.Register) reg.VecVirtual {
	low, high := c.YMM(), c.YMM()
	c.VCVTTPD2DQ(beside(at, 0), low)
	c.VCVTTPD2DQ(beside(at, 1), high)
	all := c.ZMM()
	c.VINSERTI64X4(operand.U8(1), high, low.AsZ(), all)
	return all
}

// packOneByte writes the kernel of packLimbs for one column: the bytes of four rows change places.
func packOneByte(c *build.Context) {
	var turned []byte
	for i := range 64 {
		limb, row := i%16/4, i%4 // places are counted in each sixteen bytes
		turned = append(turned, byte(4*row+limb))
	}
	bytesOf(c, "packTurn", turned)
	var bias, turn reg.VecVirtual
	eachGroup(c, "packOneByteAVX512", "func(words *uint32, q *float64, n int)", []string{"words", "q"}, []int{64, 128}, func() {
		bias, turn = word(c, 0x80808080), table(c, "packTurn")
	}, func(at []reg.Register) {
		v := integers(c, at[1])
		c.VPADDD(bias, v, v)
		c.VPXORD(bias, v, v)
		c.VPSHUFB(turn, v, v)
		c.VMOVDQU64(v, operand.Mem{Base: at[0]})
	})
	finishRecords(c)
}

// packOneShort writes the kernel of packShortLimbs for one column: three limbs of each row; the
// limbs of two rows stand together.
func packOneShort(c *build.Context) {
	for h, name := range []string{"packLow", "packHigh"} {
		var places []byte
		for i := range 4 {
			places = append(places, byte(4*h+i), 0, 0, 0, 0, 0, 0, 0, byte(8+4*h+i), 0, 0, 0, 0, 0, 0, 0)
		}
		bytesOf(c, name, places)
	}
	const limbBits = 10
	var half, all, low, high reg.VecVirtual
	eachGroup(c, "packOneShortAVX512", "func(words *uint32, q *float64, n int)", []string{"words", "q"}, []int{128, 128}, func() {
		half, all, low, high = word(c, 1<<(limbBits-1)), word(c, 1<<limbBits-1), table(c, "packLow"), table(c, "packHigh")
	}, func(at []reg.Register) {
		rest := integers(c, at[1])
		limbs := make([]reg.VecVirtual, 3)
		for l := range limbs {
			limb, pairs := rest, c.YMM()
			if l < 2 {
				limb = c.ZMM()
				c.VPADDD(half, rest, limb)
				c.VPANDD(all, limb, limb)
				c.VPSUBD(half, limb, limb)
				c.VPSUBD(limb, rest, rest)
				c.VPSRAD(operand.Imm(limbBits), rest, rest)
			}
			c.VPMOVDW(limb, pairs)
			limbs[l] = c.ZMM()
			c.VPMOVZXDQ(pairs, limbs[l])
		}
		c.VPSLLQ(operand.Imm(32), limbs[1], limbs[1])
		c.VPORQ(limbs[1], limbs[0], limbs[0])
		for h, places := range []reg.VecVirtual{low, high} {
			out := c.ZMM()
			c.VMOVDQA64(places, out)
			c.VPERMI2Q(limbs[2], limbs[0], out)
			c.VMOVDQU64(out, beside(at[0], h))
		}
	})
	finishRecords(c)
}
