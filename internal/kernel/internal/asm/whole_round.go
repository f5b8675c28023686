package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wholeRoundKernel writes one kernel of RoundWhole, TruncateWhole or Largest.
type wholeRoundKernel struct {
	*build.Context
	wide             bool
	round, truncate  bool // neither: Largest
	dst, src         reg.Register
	scale, low, high reg.VecVirtual // what entries are multiplied by, and their limits
	magnitude        reg.VecVirtual // the bits of a number without its sign
	worst            reg.VecVirtual // the largest bits so far
}

// wholeRound writes the kernels.
func wholeRound(c *build.Context) {
	for _, wide := range []bool{true, false} {
		for _, k := range []wholeRoundKernel{{round: true}, {round: true, truncate: true}, {}} {
			k.Context, k.wide = c, wide
			k.write()
		}
	}
}

// begin starts the function and loads what does not change; it returns the number of entries.
func (k *wholeRoundKernel) begin() (n reg.Register) {
	name, arguments := "largest", "src *float32, n int"
	if k.round {
		name, arguments = "roundWhole", "dst *int16, src *float32, n int, scale, limit float32"
	}
	if k.truncate {
		name = "truncateWhole"
	}
	if k.wide {
		name += "AVX512"
	} else {
		name += "AVX2"
	}
	k.Function(name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(" + arguments + ") (worst uint32)")
	k.src, n = k.Load(k.Param("src"), k.GP64()), k.Load(k.Param("n"), k.GP64())
	k.worst, k.magnitude = k.vec(), k.vec()
	k.xor(k.worst)
	if k.wide {
		k.VPTERNLOGD(operand.U8(0xff), k.magnitude, k.magnitude, k.magnitude)
	} else {
		k.VPCMPEQD(k.magnitude, k.magnitude, k.magnitude)
	}
	k.VPSRLD(operand.Imm(1), k.magnitude, k.magnitude)
	if !k.round {
		return n
	}
	k.dst = k.Load(k.Param("dst"), k.GP64())
	k.scale, k.low, k.high = k.vec(), k.vec(), k.vec()
	k.broadcast("scale", k.scale)
	k.broadcast("limit", k.high)
	k.xor(k.low)
	k.VSUBPS(k.high, k.low, k.low)
	return n
}

// broadcast loads an argument into every lane.
func (k *wholeRoundKernel) broadcast(name string, to reg.VecVirtual) {
	at, err := k.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	k.VBROADCASTSS(at.Addr, to)
}

// write writes the kernel. With AVX-512 it takes any positive number of entries, else a positive multiple of 8.
func (k *wholeRoundKernel) write() {
	n := k.begin()
	if k.wide {
		k.CMPQ(n, operand.Imm(16))
		k.JL(operand.LabelRef("last"))
	}
	k.Label("turn")
	k.turn(nil)
	k.ADDQ(operand.Imm(uint64(4*k.lanes())), k.src)
	if k.round {
		k.ADDQ(operand.Imm(uint64(2*k.lanes())), k.dst)
	}
	k.SUBQ(operand.Imm(uint64(k.lanes())), n)
	k.CMPQ(n, operand.Imm(uint64(k.lanes())))
	k.JGE(operand.LabelRef("turn"))
	if k.wide {
		k.Label("last")
		k.TESTQ(n, n)
		k.JZ(operand.LabelRef("total"))
		bits, all, mask := k.GP32(), k.GP32(), k.K()
		k.MOVL(operand.U32(0xffff), all)
		k.BZHIL(n.(reg.GPVirtual).As32(), all, bits)
		k.KMOVW(bits, mask)
		k.turn(mask)
		k.Label("total")
	}
	k.total()
	k.VZEROUPPER()
	k.RET()
}

// turn does a vector of entries, or those of a mask.
func (k *wholeRoundKernel) turn(mask reg.Register) {
	x, bits := k.vec(), k.vec()
	from := operand.Mem{Base: k.src}
	if mask != nil {
		k.VMOVUPS_Z(from, mask, x)
	} else {
		k.VMOVUPS(from, x)
	}
	if k.wide {
		k.VPANDD(k.magnitude, x, bits)
	} else {
		k.VPAND(k.magnitude, x, bits)
	}
	k.VPMAXUD(bits, k.worst, k.worst)
	if !k.round {
		return
	}
	k.VMULPS(k.scale, x, x)
	const ordered = 7 // neither is NaN
	if k.wide {
		number := k.K()
		k.VCMPPS(operand.U8(ordered), x, x, number)
		k.VMAXPS_Z(k.low, x, number, x)
	} else {
		number := k.vec()
		k.VCMPPS(operand.U8(ordered), x, x, number)
		k.VPAND(number, x, x)
		k.VMAXPS(k.low, x, x)
	}
	k.VMINPS(k.high, x, x)
	if k.truncate {
		k.VCVTTPS2DQ(x, x)
	} else {
		k.VCVTPS2DQ(x, x)
	}
	k.store(x, mask)
}

// store writes integers of 32 bits, which fit 16.
func (k *wholeRoundKernel) store(x reg.VecVirtual, mask reg.Register) {
	to := operand.Mem{Base: k.dst}
	switch {
	case mask != nil:
		k.VPMOVDW(x, mask, to)
	case k.wide:
		half := k.YMM()
		k.VPMOVDW(x, half)
		k.VMOVDQU(half, to)
	default:
		half := k.XMM()
		k.VEXTRACTI128(operand.Imm(1), x, half)
		k.VPACKSSDW(half, x.AsX(), half)
		k.VMOVDQU(half, to)
	}
}

// total returns the largest bits.
func (k *wholeRoundKernel) total() {
	four, half := k.XMM(), k.YMM()
	if k.wide {
		k.VEXTRACTI64X4(operand.Imm(1), k.worst, half)
		k.VPMAXUD(half, k.worst.AsY(), half)
	} else {
		half = k.worst
	}
	k.VEXTRACTI128(operand.Imm(1), half, four)
	k.VPMAXUD(four, half.AsX(), four)
	for _, order := range []uint64{0x4e, 0xb1} {
		other := k.XMM()
		k.VPSHUFD(operand.Imm(order), four, other)
		k.VPMAXUD(other, four, four)
	}
	result := k.GP32()
	k.VMOVD(four, result)
	k.Store(result, k.ReturnIndex(0))
}

// lanes is how many entries a vector holds.
func (k *wholeRoundKernel) lanes() int {
	if k.wide {
		return 16
	}
	return 8
}

func (k *wholeRoundKernel) vec() reg.VecVirtual {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}

func (k *wholeRoundKernel) xor(v reg.VecVirtual) {
	if k.wide {
		k.VPXORD(v, v, v)
	} else {
		k.VPXOR(v, v, v)
	}
}
