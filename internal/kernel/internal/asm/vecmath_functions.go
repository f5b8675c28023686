package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expConstants are what expParts and exp read.
var expConstants = []int{
	log2E, roundShift, ln2High, ln2Low, expPolynomial, expPolynomial + 1, expPolynomial + 2,
	expPolynomial + 3, expPolynomial + 4, one, expLow, expHigh, notANumber,
}

// vectorFunctions writes the kernels of Exp, Log, Sigmoid, Tanh and Softmax.
func vectorFunctions(c *build.Context) {
	for _, wide := range []bool{true, false} {
		elementwise(c, wide, "exp", (*lanes).exp, expConstants)
		elementwise(c, wide, "log", (*lanes).log, logConstants)
		elementwise(c, wide, "sigmoid", (*lanes).sigmoid, append(expConstants, signBit))
		elementwise(c, wide, "tanh", (*lanes).tanh, append(expConstants, signBit, tanhLow, two))
		softmax(c, wide)
		exp64(c, wide)
	}
}

// logConstants are what log reads oftenest.
var logConstants = []int{
	one, logPolynomial, logPolynomial + 1, logPolynomial + 2, logPolynomial + 3,
	logPolynomial + 4, logPolynomial + 5, logPolynomial + 6, logPolynomial + 7, logPolynomial + 8,
}

// expParts returns n, the integer, in each lane and p; see expParts of package kernel.
func (v *lanes) expParts(x reg.VecVirtual) (n, p reg.VecVirtual) {
	shifted := v.add(v.mul(x, v.constant(log2E)), v.constant(roundShift))
	whole := v.sub(shifted, v.constant(roundShift))
	r := v.sub(x, v.mul(whole, v.constant(ln2High)))
	r = v.sub(r, v.mul(whole, v.constant(ln2Low)))
	q := v.add(v.mul(r, v.constant(expPolynomial+4)), v.constant(expPolynomial+3))
	for i := 2; i >= 0; i-- {
		q = v.add(v.mul(q, r), v.constant(expPolynomial+i))
	}
	n = v.subInt(shifted, v.constant(roundShift))
	return n, v.add(r, v.mul(v.mul(r, r), q))
}

// power returns 2^n.
func (v *lanes) power(n reg.VecVirtual) reg.VecVirtual {
	return v.addInt(v.shiftLeft(n, 23), v.constant(one))
}

// inRange returns x between the ends, or NaN.
func (v *lanes) inRange(x operand.Op, low, high int) reg.VecVirtual {
	lowest, highest := v.register(low), v.register(high)
	return v.min(highest, v.max(lowest, x))
}

// register brings a constant into a register when it is not in one.
func (v *lanes) register(c int) reg.VecVirtual {
	if r := v.held[c]; r != nil {
		return r
	}
	return v.load(c)
}

func (v *lanes) exp(x reg.VecVirtual) reg.VecVirtual {
	isNaN := v.compare(unordered, x, x)
	n, p := v.expParts(v.inRange(x, expLow, expHigh))
	halved := v.shiftRight(n, 1)
	y := v.addInt(v.add(p, v.constant(one)), v.shiftLeft(halved, 23))
	y = v.mul(y, v.power(v.subInt(n, halved)))
	return v.blend(isNaN, y, v.constant(notANumber))
}

func (v *lanes) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	e := v.exp(v.or(x, v.constant(signBit)))
	top := v.blend(v.signs(x), v.register(one), e)
	return v.div(top, v.add(e, v.constant(one)))
}

func (v *lanes) tanh(x reg.VecVirtual) reg.VecVirtual {
	isNaN := v.compare(unordered, x, x)
	y := v.or(x, v.constant(signBit))
	n, p := v.expParts(v.max(v.register(tanhLow), v.add(y, y)))
	scale := v.power(n)
	m := v.add(v.mul(scale, p), v.sub(scale, v.constant(one)))
	sign := v.and(x, v.constant(signBit))
	y = v.div(v.andNot(v.register(signBit), m), v.add(m, v.constant(two)))
	return v.blend(isNaN, v.or(y, sign), v.constant(notANumber))
}

func (v *lanes) log(x reg.VecVirtual) reg.VecVirtual {
	small := v.compare(less, x, v.constant(smallestNormal))
	zero := v.vec()
	v.clear(zero)
	shift := v.blend(small, zero, v.constant(shiftExponent))
	scaled := v.blend(small, x, v.mul(x, v.constant(shiftUp)))
	k := v.shiftRight(v.subInt(scaled, v.constant(sqrtHalf)), 23)
	f := v.sub(v.subInt(scaled, v.shiftLeft(k, 23)), v.constant(one))
	whole := v.vec()
	v.VCVTDQ2PS(k, whole)
	whole = v.add(whole, shift)
	p := v.add(v.mul(f, v.constant(logPolynomial+8)), v.constant(logPolynomial+7))
	for i := 6; i >= 0; i-- {
		p = v.add(v.mul(p, f), v.constant(logPolynomial+i))
	}
	square := v.mul(f, f)
	low := v.add(v.mul(whole, v.constant(ln2Low)), v.mul(v.mul(square, f), p))
	low = v.sub(low, v.mul(square, v.constant(half)))
	y := v.add(v.mul(whole, v.constant(ln2High)), v.add(f, low))
	y = v.blend(v.compare(equal, x, v.constant(plusInfinity)), y, v.constant(plusInfinity))
	y = v.blend(v.compare(notAtLeast, x, zero), y, v.constant(notANumber))
	return v.blend(v.compare(equal, x, zero), y, v.constant(minusInfinity))
}

// clear clears a register.
func (v *lanes) clear(r reg.VecVirtual) {
	if v.wide {
		v.VPXORD(r, r, r)
	} else {
		v.VPXOR(r, r, r)
	}
}

// elementwise writes the kernel of a function of one variable: whole vectors, then a masked
// one for what is left.
func elementwise(c *build.Context, wide bool, name string, f func(*lanes, reg.VecVirtual) reg.VecVirtual, constants []int) {
	(&lanes{Context: c, wide: wide}).elementwise(name, "dst, x *float32, n int", f, constants)
}

// elementwise is the same for lanes of either type.
func (v *lanes) elementwise(name, signature string, f func(*lanes, reg.VecVirtual) reg.VecVirtual, constants []int) {
	v.begin(name, signature)
	dst, x, n := v.Load(v.Param("dst"), v.GP64()), v.Load(v.Param("x"), v.GP64()), v.Load(v.Param("n"), v.GP64())
	v.hold(constants...)
	per := v.perVector()
	v.SUBQ(operand.Imm(uint64(per)), n)
	v.JL(operand.LabelRef("rest"))
	v.Label("whole")
	in := v.vec()
	v.VMOVUPS(operand.Mem{Base: x}, in)
	v.VMOVUPS(f(v, in), operand.Mem{Base: dst})
	v.ADDQ(operand.Imm(uint64(v.size()*per)), x)
	v.ADDQ(operand.Imm(uint64(v.size()*per)), dst)
	v.SUBQ(operand.Imm(uint64(per)), n)
	v.JGE(operand.LabelRef("whole"))
	v.Label("rest")
	v.ADDQ(operand.Imm(uint64(per)), n)
	v.JE(operand.LabelRef("done"))
	m := v.firstLanes(n)[0]
	v.maskedStore(m, f(v, v.maskedLoad(m, operand.Mem{Base: x})), operand.Mem{Base: dst})
	v.Label("done")
	v.VZEROUPPER()
	v.RET()
}

// firstLanes returns the masks of the first n of 16 lanes: one, or two of 8.
func (v *lanes) firstLanes(n reg.Register) []mask {
	if v.wide {
		bits, k := v.GP64(), v.K()
		v.MOVQ(n, reg.RCX)
		v.MOVQ(operand.U32(1), bits)
		v.SHLQ(reg.CL, bits)
		v.SUBQ(operand.Imm(1), bits)
		v.KMOVW(bits.As32(), k)
		return []mask{{k: k}}
	}
	// Lane l of the window that begins at 16-n, or 8-n of 64 bits, is set when l < n.
	row, most := maskWindow, 16
	if v.double {
		row, most = maskWindow64, 8
	}
	from, low, high := v.GP64(), v.vec(), v.vec()
	v.MOVQ(operand.U32(uint32(most)), from)
	v.SUBQ(n, from)
	window := operand.Mem{Base: v.table, Index: from, Scale: uint8(v.size()), Disp: 64 * row}
	v.VMOVDQU(window, low)
	v.VMOVDQU(window.Offset(32), high)
	return []mask{{v: low}, {v: high}}
}

// maskedLoad reads the lanes of m; the others are 0.
func (v *lanes) maskedLoad(m mask, from operand.Mem) reg.VecVirtual {
	r := v.vec()
	switch {
	case v.wide && v.double:
		v.VMOVUPD_Z(from, m.k, r)
	case v.wide:
		v.VMOVUPS_Z(from, m.k, r)
	case v.double:
		v.VMASKMOVPD(from, m.v, r)
	default:
		v.VMASKMOVPS(from, m.v, r)
	}
	return r
}

func (v *lanes) maskedStore(m mask, r reg.VecVirtual, to operand.Mem) {
	switch {
	case v.wide:
		v.kind(v.VMOVUPS, v.VMOVUPD)(r, m.k, to)
	case v.double:
		v.VMASKMOVPD(r, m.v, to)
	default:
		v.VMASKMOVPS(r, m.v, to)
	}
}
