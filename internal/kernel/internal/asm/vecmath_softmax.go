package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block is 16 float32: one register of AVX-512 or two of AVX2.
type block []reg.VecVirtual

// softmaxState is what the parts of the kernel share.
type softmaxState struct {
	*lanes
	dst, x reg.Register
	whole  reg.Register // bytes of a row before the last block
	index  reg.Register // bytes of a row that are done
	tail   []mask       // lanes of the last block, 1 to 16
}

// softmax writes the kernel of Softmax. Rows of at most 16 columns stay in registers; longer
// ones are read three times.
func softmax(c *build.Context, wide bool) {
	s := &softmaxState{lanes: &lanes{Context: c, wide: wide}}
	s.begin("softmax", "dst, x *float32, rows, columns int")
	s.dst, s.x = s.Load(s.Param("dst"), s.GP64()), s.Load(s.Param("x"), s.GP64())
	rows, columns := s.Load(s.Param("rows"), s.GP64()), s.Load(s.Param("columns"), s.GP64())
	s.hold(append(expConstants, minusInfinity)...)
	tail, rowBytes := s.GP64(), s.GP64()
	s.MOVQ(columns, rowBytes)
	s.SHLQ(operand.Imm(2), rowBytes)
	s.whole, s.index = s.GP64(), s.GP64()
	s.MOVQ(columns, s.whole)
	s.SUBQ(operand.Imm(1), s.whole)
	s.SHRQ(operand.Imm(4), s.whole)
	s.SHLQ(operand.Imm(4), s.whole)
	s.MOVQ(columns, tail)
	s.SUBQ(s.whole, tail)
	s.SHLQ(operand.Imm(2), s.whole)
	s.tail = s.firstLanes(tail)
	s.TESTQ(s.whole, s.whole)
	s.JNE(operand.LabelRef("long"))

	if s.wide {
		s.shortGroups(rows, rowBytes)
	}
	s.Label("short")
	s.shortRow()
	s.next(rows, rowBytes, "short")
	s.Label("long")
	s.longRow()
	s.next(rows, rowBytes, "long")
}

// next goes to the next row, or ends.
func (s *softmaxState) next(rows, rowBytes reg.Register, label string) {
	s.ADDQ(rowBytes, s.x)
	s.ADDQ(rowBytes, s.dst)
	s.SUBQ(operand.Imm(1), rows)
	s.JNE(operand.LabelRef(label))
	s.VZEROUPPER()
	s.RET()
}

// shortGroups takes four rows at a time while there are more than four: each load would wait
// for a masked store just before it.
func (s *softmaxState) shortGroups(rows, rowBytes reg.Register) {
	group := s.GP64()
	s.LEAQ(operand.Mem{Base: rowBytes, Index: rowBytes, Scale: 2}, group)
	s.SUBQ(operand.Imm(shortGroup), rows)
	s.JLE(operand.LabelRef("few"))
	s.Label("group")
	var e [shortGroup]block
	for i := range e {
		e[i] = s.tailWith(rowPlace(s.x, rowBytes, group, i), minusInfinity)
	}
	for i := range e {
		e[i] = s.tailSoftmax(e[i])
	}
	for i := range e {
		s.maskedStore(s.tail[0], e[i][0], rowPlace(s.dst, rowBytes, group, i))
	}
	s.LEAQ(operand.Mem{Base: s.x, Index: rowBytes, Scale: shortGroup}, s.x)
	s.LEAQ(operand.Mem{Base: s.dst, Index: rowBytes, Scale: shortGroup}, s.dst)
	s.SUBQ(operand.Imm(shortGroup), rows)
	s.JG(operand.LabelRef("group"))
	s.Label("few")
	s.ADDQ(operand.Imm(shortGroup), rows)
}

// shortGroup is how many short rows are taken at a time.
const shortGroup = 4

// shortRow does a row that is one block.
func (s *softmaxState) shortRow() {
	for i, r := range s.tailSoftmax(s.tailWith(operand.Mem{Base: s.x}, minusInfinity)) {
		s.maskedStore(s.tail[i], r, s.at(s.dst, nil, i))
	}
}

// tailSoftmax returns the quotients of a row that is one block.
func (s *softmaxState) tailSoftmax(x block) block {
	e := s.tailExp(x, s.reduce(x, (*lanes).max))
	sum := s.reduce(e, (*lanes).add)
	for i := range e {
		e[i] = s.div(e[i], sum)
	}
	return e
}

func (s *softmaxState) longRow() {
	maxima := s.fill(func(r reg.VecVirtual) { s.VMOVAPS(s.constant(minusInfinity), r) })
	s.eachBlock("largest", func(i int) {
		v := s.vec()
		s.VMOVUPS(s.at(s.x, s.index, i), v)
		s.VMAXPS(v, maxima[i], maxima[i])
	})
	x := s.tailWith(s.at(s.x, s.index, 0), minusInfinity)
	for i := range x {
		x[i] = s.lanes.max(x[i], maxima[i])
	}
	m := s.reduce(x, (*lanes).max)

	sums := s.fill(s.clear)
	s.eachBlock("exponential", func(i int) {
		v := s.vec()
		s.VMOVUPS(s.at(s.x, s.index, i), v)
		e := s.exp(s.sub(v, m))
		s.VMOVUPS(e, s.at(s.dst, s.index, i))
		s.VADDPS(e, sums[i], sums[i])
	})
	e := s.tailExp(s.tailWith(s.at(s.x, s.index, 0), minusInfinity), m)
	for i := range e {
		s.maskedStore(s.tail[i], e[i], s.at(s.dst, s.index, i))
		s.VADDPS(e[i], sums[i], sums[i])
	}
	sum := s.reduce(sums, (*lanes).add)

	s.eachBlock("quotient", func(i int) {
		v := s.vec()
		s.VMOVUPS(s.at(s.dst, s.index, i), v)
		s.VMOVUPS(s.div(v, sum), s.at(s.dst, s.index, i))
	})
	for i := range s.tail {
		v := s.maskedLoad(s.tail[i], s.at(s.dst, s.index, i))
		s.maskedStore(s.tail[i], s.div(v, sum), s.at(s.dst, s.index, i))
	}
}

// eachBlock writes a loop over the whole blocks of a row, for each of their registers. The
// index then is at the last block.
func (s *softmaxState) eachBlock(label string, each func(i int)) {
	s.XORQ(s.index, s.index)
	s.Label(label)
	for i := range s.tail {
		each(i)
	}
	s.ADDQ(operand.Imm(64), s.index)
	s.CMPQ(s.index, s.whole)
	s.JL(operand.LabelRef(label))
}

// fill returns a block that is set by a function.
func (s *softmaxState) fill(set func(reg.VecVirtual)) block {
	b := make(block, len(s.tail))
	for i := range b {
		b[i] = s.vec()
		set(b[i])
	}
	return b
}

// at is the place of the i-th register of a block.
func (s *softmaxState) at(base, index reg.Register, i int) operand.Mem {
	m := operand.Mem{Base: base, Disp: 32 * i}
	if index != nil {
		m.Index, m.Scale = index, 1
	}
	return m
}

// tailWith reads the last block, with a constant in the lanes beyond the row.
func (s *softmaxState) tailWith(from operand.Mem, constant int) block {
	b := make(block, len(s.tail))
	for i, m := range s.tail {
		b[i] = s.blend(m, s.register(constant), s.maskedLoad(m, from.Offset(32*i)))
	}
	return b
}

// tailExp returns e^(x-m) of the last block, and 0 in the lanes beyond the row. It does not
// take e^-Inf there, since results that underflow are slow.
func (s *softmaxState) tailExp(x block, m reg.VecVirtual) block {
	e := make(block, len(x))
	for i := range x {
		e[i] = s.keep(s.tail[i], s.exp(s.keep(s.tail[i], s.sub(x[i], m))))
	}
	return e
}

// reduce combines lane l of a block with l+8, then l+4, l+2, l+1. Every lane of the result
// holds the same, for f does not depend on the order of its arguments.
func (s *softmaxState) reduce(b block, f func(v *lanes, a, b operand.Op) reg.VecVirtual) reg.VecVirtual {
	r := b[0]
	if s.wide {
		for _, swap := range []uint64{0x4e, 0xb1} {
			other := s.vec()
			s.VSHUFF32X4(operand.Imm(swap), r, r, other)
			r = f(s.lanes, r, other)
		}
	} else {
		r = f(s.lanes, b[0], b[1])
		other := s.vec()
		s.VPERM2F128(operand.Imm(1), r, r, other)
		r = f(s.lanes, r, other)
	}
	for _, swap := range []uint64{0x4e, 0xb1} {
		other := s.vec()
		s.VPERMILPS(operand.Imm(swap), r, other)
		r = f(s.lanes, r, other)
	}
	return r
}
