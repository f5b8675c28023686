package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wholeLong writes the kernels of AddLong and SquareLong: n is a positive multiple of the numbers of 64 bits that
// a vector holds.
func wholeLong(c *build.Context) {
	for _, wide := range []bool{true, false} {
		k := wholeLongKernel{Context: c, wide: wide, bytes: 32, set: "AVX2"}
		if wide {
			k.bytes, k.set = 64, "AVX512"
		}
		k.add()
		k.square()
	}
}

// wholeLongKernel writes one kernel.
type wholeLongKernel struct {
	*build.Context
	wide  bool
	bytes int
	set   string
}

// turns writes a loop over the vectors of some slices.
func (k *wholeLongKernel) turns(n reg.Register, body func(), slices ...reg.Register) {
	k.Label("turn")
	body()
	for _, s := range slices {
		k.ADDQ(operand.Imm(uint64(k.bytes)), s)
	}
	k.SUBQ(operand.Imm(uint64(k.bytes/8)), n)
	k.JNZ(operand.LabelRef("turn"))
}

func (k *wholeLongKernel) add() {
	k.Function("addLong" + k.set)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(dst, src *int64, n int)")
	dst, src := k.Load(k.Param("dst"), k.GP64()), k.Load(k.Param("src"), k.GP64())
	n := k.Load(k.Param("n"), k.GP64())
	k.turns(n, func() {
		x := k.load(src)
		k.VPADDQ(operand.Mem{Base: dst}, x, x)
		if k.wide {
			k.VMOVDQU64(x, operand.Mem{Base: dst})
		} else {
			k.VMOVDQU(x, operand.Mem{Base: dst})
		}
	}, dst, src)
	k.VZEROUPPER()
	k.RET()
}

// square adds the lower and the upper 32 bits of the squares of the lower halves. It also collects
// the bits of the numbers plus 2^31. If all bits above the lower 32 are zero, every number equals
// its lower half.
func (k *wholeLongKernel) square() {
	k.Function("squareLong" + k.set)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(x *int64, n int) (low, high, beyond uint64)")
	x, n := k.Load(k.Param("x"), k.GP64()), k.Load(k.Param("n"), k.GP64())
	halves, place := k.broadcast(1<<32-1), k.broadcast(1<<31)
	low, high, beyond := k.vec(), k.vec(), k.vec()
	for _, v := range []reg.VecVirtual{low, high, beyond} {
		k.logic(k.VPXORQ, k.VPXOR, v, v, v)
	}
	k.turns(n, func() {
		v, part := k.load(x), k.vec()
		k.VPADDQ(place, v, part)
		k.logic(k.VPORQ, k.VPOR, part, beyond, beyond)
		k.VPMULDQ(v, v, v)
		k.logic(k.VPANDQ, k.VPAND, halves, v, part)
		k.VPADDQ(part, low, low)
		k.VPSRLQ(operand.Imm(32), v, v)
		k.VPADDQ(v, high, high)
	}, x)
	k.total(low, 0, func(a, b, d operand.Op) { k.VPADDQ(a, b, d) })
	k.total(high, 1, func(a, b, d operand.Op) { k.VPADDQ(a, b, d) })
	k.total(beyond, 2, k.VPOR)
	k.VZEROUPPER()
	k.RET()
}

// total returns what the lanes are together.
func (k *wholeLongKernel) total(v reg.VecVirtual, result int, join func(a, b, d operand.Op)) {
	half, two := v, k.XMM()
	if k.wide {
		half = k.YMM()
		k.VEXTRACTI64X4(operand.Imm(1), v, half)
		join(half, v.AsY(), half)
	}
	k.VEXTRACTI128(operand.Imm(1), half, two)
	join(two, half.AsX(), two)
	one, sum := k.XMM(), k.GP64()
	k.VPSHUFD(operand.Imm(0x4e), two, one)
	join(one, two, one)
	k.VMOVQ(one, sum)
	k.Store(sum, k.ReturnIndex(result))
}

// broadcast returns a vector of one number.
func (k *wholeLongKernel) broadcast(number uint64) reg.VecVirtual {
	r, v := k.GP64(), k.vec()
	k.MOVQ(operand.U64(number), r)
	k.VMOVQ(r, v.AsX())
	k.VPBROADCASTQ(v.AsX(), v)
	return v
}

// load reads a vector.
func (k *wholeLongKernel) load(at reg.Register) reg.VecVirtual {
	v := k.vec()
	if k.wide {
		k.VMOVDQU64(operand.Mem{Base: at}, v)
	} else {
		k.VMOVDQU(operand.Mem{Base: at}, v)
	}
	return v
}

// logic chooses the instruction for the set.
func (k *wholeLongKernel) logic(wide func(...operand.Op), narrow func(a, b, d operand.Op), a, b, d operand.Op) {
	if k.wide {
		wide(a, b, d)
	} else {
		narrow(a, b, d)
	}
}

func (k *wholeLongKernel) vec() reg.VecVirtual {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}
