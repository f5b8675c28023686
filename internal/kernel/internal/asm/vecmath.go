package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The rows of the table of constants, vectorConstants of package kernel.
const (
	log2E = iota
	roundShift
	ln2High
	ln2Low
	expPolynomial // five rows
	one           = iota + 4
	expLow
	expHigh
	notANumber
	signBit
	two
	tanhLow
	minusInfinity
	plusInfinity
	smallestNormal
	shiftUp
	shiftExponent
	sqrtHalf
	half
	logPolynomial // nine rows
	maskWindow    = iota + 12
)

// lanes writes the same operations for the registers of AVX-512 or of AVX2. Constants stay
// in registers where there are enough of them, and otherwise are read from the table.
type lanes struct {
	*build.Context
	wide   bool
	double bool // float64
	table  reg.Register
	held   map[int]reg.VecVirtual
}

// mask chooses lanes: in a mask register (AVX-512) or by the sign bits of a vector (AVX2).
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// size is that of an entry in bytes.
func (v *lanes) size() int {
	if v.double {
		return 8
	}
	return 4
}

// perVector is how many entries a register holds.
func (v *lanes) perVector() int {
	if v.wide {
		return 64 / v.size()
	}
	return 32 / v.size()
}

func (v *lanes) vec() reg.VecVirtual {
	if v.wide {
		return v.ZMM()
	}
	return v.YMM()
}

// hold loads constants into registers, once for the function, where there are enough.
func (v *lanes) hold(constants ...int) {
	v.held = map[int]reg.VecVirtual{}
	if !v.wide {
		return
	}
	for _, c := range constants {
		if v.held[c] == nil {
			v.held[c] = v.load(c)
		}
	}
}

// load brings a constant into a register.
func (v *lanes) load(constant int) reg.VecVirtual {
	r := v.vec()
	v.kind(v.VBROADCASTSS, v.VBROADCASTSD)(operand.Mem{Base: v.table, Disp: 64 * constant}, r)
	return r
}

// constant is an operand that holds a constant in every lane.
func (v *lanes) constant(c int) operand.Op {
	if r := v.held[c]; r != nil {
		return r
	}
	return operand.Mem{Base: v.table, Disp: 64 * c}
}

// The arithmetic: each returns a new register. Only the last operand may be in memory.
func (v *lanes) add(a, b operand.Op) reg.VecVirtual { return v.three(v.kind(v.VADDPS, v.VADDPD), a, b) }
func (v *lanes) sub(a, b operand.Op) reg.VecVirtual { return v.three(v.kind(v.VSUBPS, v.VSUBPD), a, b) }
func (v *lanes) mul(a, b operand.Op) reg.VecVirtual { return v.three(v.kind(v.VMULPS, v.VMULPD), a, b) }
func (v *lanes) div(a, b operand.Op) reg.VecVirtual { return v.three(v.kind(v.VDIVPS, v.VDIVPD), a, b) }

// max returns the larger, and b where either is NaN.
func (v *lanes) max(a, b operand.Op) reg.VecVirtual { return v.three(v.kind(v.VMAXPS, v.VMAXPD), a, b) }

// min returns the smaller, and b where either is NaN.
func (v *lanes) min(a, b operand.Op) reg.VecVirtual { return v.three(v.kind(v.VMINPS, v.VMINPD), a, b) }

func (v *lanes) addInt(a, b operand.Op) reg.VecVirtual {
	return v.three(v.kind(v.VPADDD, v.VPADDQ), a, b)
}
func (v *lanes) subInt(a, b operand.Op) reg.VecVirtual {
	return v.three(v.kind(v.VPSUBD, v.VPSUBQ), a, b)
}

func (v *lanes) and(a, b operand.Op) reg.VecVirtual {
	return v.either(v.VPANDD, v.VPAND, a, b)
}

func (v *lanes) or(a, b operand.Op) reg.VecVirtual {
	return v.either(v.VPORD, v.VPOR, a, b)
}

// andNot returns b with the bits of a cleared.
func (v *lanes) andNot(a, b operand.Op) reg.VecVirtual {
	return v.either(v.VPANDND, v.VPANDN, a, b)
}

func (v *lanes) shiftLeft(a operand.Op, bits uint64) reg.VecVirtual {
	r := v.vec()
	v.kind(v.VPSLLD, v.VPSLLQ)(operand.Imm(bits), a, r)
	return r
}

// shiftRight keeps the sign of 32 bits; AVX2 has no such instruction for 64 bits, so there it
// does not.
func (v *lanes) shiftRight(a operand.Op, bits uint64) reg.VecVirtual {
	r := v.vec()
	v.kind(v.VPSRAD, v.VPSRLQ)(operand.Imm(bits), a, r)
	return r
}

// kind chooses the instruction for the type of the entries.
func (v *lanes) kind(single, double func(...operand.Op)) func(...operand.Op) {
	if v.double {
		return double
	}
	return single
}

func (v *lanes) three(instruction func(...operand.Op), a, b operand.Op) reg.VecVirtual {
	r := v.vec()
	instruction(b, a, r)
	return r
}

func (v *lanes) either(wide func(...operand.Op), narrow func(b, a, r operand.Op), a, b operand.Op) reg.VecVirtual {
	r := v.vec()
	if v.wide {
		wide(b, a, r)
	} else {
		narrow(b, a, r)
	}
	return r
}

// The predicates of comparisons: false for NaN, but notAtLeast.
const (
	equal      = 0
	less       = 1
	unordered  = 3
	notAtLeast = 9
)

// compare chooses the lanes where a predicate holds of a and b.
func (v *lanes) compare(predicate uint64, a, b operand.Op) mask {
	if v.wide {
		k := v.K()
		v.kind(v.VCMPPS, v.VCMPPD)(operand.Imm(predicate), b, a, k)
		return mask{k: k}
	}
	r := v.vec()
	v.kind(v.VCMPPS, v.VCMPPD)(operand.Imm(predicate), b, a, r)
	return mask{v: r}
}

// signs chooses the lanes whose sign bit is set.
func (v *lanes) signs(a reg.VecVirtual) mask {
	if !v.wide {
		return mask{v: a}
	}
	k := v.K()
	if v.double {
		v.VPMOVQ2M(a, k)
	} else {
		v.VPMOVD2M(a, k)
	}
	return mask{k: k}
}

// blend returns b in the lanes of m and a in the others. b may be in memory.
func (v *lanes) blend(m mask, a, b operand.Op) reg.VecVirtual {
	r := v.vec()
	if v.wide {
		v.kind(v.VBLENDMPS, v.VBLENDMPD)(b, a, m.k, r)
	} else if v.double {
		v.VBLENDVPD(m.v, b, a, r)
	} else {
		v.VBLENDVPS(m.v, b, a, r)
	}
	return r
}

// keep returns a in the lanes of m and 0 in the others.
func (v *lanes) keep(m mask, a reg.VecVirtual) reg.VecVirtual {
	r := v.vec()
	if v.wide {
		v.VMOVAPS_Z(a, m.k, r)
	} else {
		v.VANDPS(m.v, a, r)
	}
	return r
}

// begin starts a function and loads its table.
func (v *lanes) begin(name, signature string) {
	if v.wide {
		name += "AVX512"
	} else {
		name += "AVX2"
	}
	v.Function(name)
	v.Attributes(attr.NOSPLIT)
	table := "table *[34][16]uint32"
	if v.double {
		table = "table *[23][8]uint64"
	}
	v.SignatureExpr("func(" + signature + ", " + table + ")")
	v.table = v.Load(v.Param("table"), v.GP64())
}
