package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// The rows of the table of constants for float64, vectorConstants64 of package kernel.
const (
	log2E64 = iota
	roundShift64
	ln2High64
	ln2Low64
	expPolynomial64 // ten rows
	one64           = iota + 9
	expLow64
	expHigh64
	notANumber64
	signBit64
	halfBias
	halfOfHalfBias
	maskWindow64
)

// exp64 writes the kernels of Exp64 and Sigmoid64.
func exp64(c *build.Context, wide bool) {
	var constants []int
	for i := range halfOfHalfBias + 1 {
		constants = append(constants, i)
	}
	for _, f := range []struct {
		name string
		f    func(*lanes, reg.VecVirtual) reg.VecVirtual
	}{{"exp64", (*lanes).exp64}, {"sigmoid64", (*lanes).sigmoid64}} {
		v := &lanes{Context: c, wide: wide, double: true}
		v.elementwise(f.name, "dst, x *float64, n int", f.f, constants)
	}
}

// exp64 is expOne64 of package kernel.
func (v *lanes) exp64(x reg.VecVirtual) reg.VecVirtual {
	isNaN := v.compare(unordered, x, x)
	x = v.inRange(x, expLow64, expHigh64)
	shifted := v.add(v.mul(x, v.constant(log2E64)), v.constant(roundShift64))
	whole := v.sub(shifted, v.constant(roundShift64))
	r := v.sub(x, v.mul(whole, v.constant(ln2High64)))
	r = v.sub(r, v.mul(whole, v.constant(ln2Low64)))
	q := v.add(v.mul(r, v.constant(expPolynomial64+9)), v.constant(expPolynomial64+8))
	for i := 7; i >= 0; i-- {
		q = v.add(v.mul(q, r), v.constant(expPolynomial64+i))
	}
	p := v.add(r, v.mul(v.mul(r, r), q))
	n := v.subInt(shifted, v.constant(roundShift64))
	halved := v.subInt(v.shiftRight(v.addInt(n, v.constant(halfBias)), 1), v.constant(halfOfHalfBias))
	y := v.addInt(v.add(p, v.constant(one64)), v.shiftLeft(halved, 52))
	y = v.mul(y, v.addInt(v.shiftLeft(v.subInt(n, halved), 52), v.constant(one64)))
	return v.blend(isNaN, y, v.constant(notANumber64))
}

// sigmoid64 is sigmoidOne64 of package kernel.
func (v *lanes) sigmoid64(x reg.VecVirtual) reg.VecVirtual {
	e := v.exp64(v.or(x, v.constant(signBit64)))
	top := v.blend(v.signs(x), v.register(one64), e)
	return v.div(top, v.add(e, v.constant(one64)))
}
