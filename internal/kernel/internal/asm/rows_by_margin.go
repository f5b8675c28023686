package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// linesAhead and soonAhead are distances in bytes ahead of the rows that are measured. At
// linesAhead a line is requested into the second cache, which allows more outstanding lines than
// the first. At soonAhead the line is requested into the first cache.
const linesAhead, soonAhead = 16384, 1024

// passState is what the parts of a kernel of AddRowsByMargin share. A turn measures two rows and
// adds the two that were measured before. Row after row, two chunks are measured for each chunk
// that is added. So memory is read in order and the instructions between two lines of it are few.
type passState struct {
	*rowKernel
	next, last, dst, w reg.Register // where rows, sums and weights begin
	at, added          reg.Register // bytes measured of a row, and added
	whole              reg.Register // bytes of the pairs of whole chunks of a row
	masks              []reg.Register
	factors            [2]reg.Register // of the rows to add
}

// byMargin writes the kernel of AddRowsByMargin. mask has a bit for each entry of the last
// and incomplete chunk of a row.
func (k *rowKernel) byMargin() {
	k.begin("byMargin", "margins, next, dst, last, factors *float32, turns, dim int, w *float32, mask uint64")
	s := &passState{rowKernel: k, next: k.argument("next"), last: k.argument("last"), dst: k.argument("dst"), w: k.argument("w")}
	margins, factors, turns := k.argument("margins"), k.argument("factors"), k.argument("turns")
	stride := k.argument("dim")
	s.whole = k.GP64()
	k.MOVQ(stride, s.whole)
	k.SHRQ(operand.U8(5), s.whole)
	k.SHLQ(operand.U8(7), s.whole)
	k.SHLQ(operand.U8(2), stride)
	s.at, s.added = k.GP64(), k.GP64()
	s.loadMasks()
	again := k.label("turns")
	k.Label(again)
	for i := range s.factors {
		s.factors[i] = k.vector()
		k.spread(operand.Mem{Base: factors, Disp: 4 * i}, s.factors[i])
	}
	s.turn(margins, stride)
	k.ADDQ(operand.U8(8), margins)
	k.ADDQ(operand.U8(8), factors)
	k.LEAQ(operand.Mem{Base: s.last, Index: stride, Scale: 2}, s.last)
	k.DECQ(turns)
	k.JNZ(operand.LabelRef(again))
	k.end()
}

// turn measures two rows and adds two.
func (s *passState) turn(margins, stride reg.Register) {
	s.XORQ(s.added, s.added)
	var halves [4]reg.Register
	for i := range 2 {
		sums := s.measure(stride)
		halves[i] = s.eight(sums)
		s.ADDQ(stride, s.next)
	}
	s.rest(stride, func(tail bool) { s.addChunk(stride, tail) }, s.added)
	halves[2], halves[3] = halves[1], halves[1]
	s.VMOVLPS(s.four(halves), operand.Mem{Base: margins})
}

// measure returns the partial sums of the margin of the next row, and adds half of the
// pairs of chunks meanwhile.
func (s *passState) measure(stride reg.Register) []reg.Register {
	var sums []reg.Register
	for range s.halves() {
		v := s.vector()
		s.VXORPS(v, v, v)
		sums = append(sums, v)
	}
	s.XORQ(s.at, s.at)
	again, none := s.label("chunks"), s.label("short")
	s.TESTQ(s.whole, s.whole)
	s.JZ(operand.LabelRef(none))
	s.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []operand.Op{operand.Imm(64)}})
	s.Label(again)
	s.prefetch(64)
	s.prefetch(0)
	s.measureChunk(sums, 0, false)
	s.measureChunk(sums, 64, false)
	s.addChunk(stride, false)
	s.ADDQ(operand.U8(64), s.added)
	s.SUBQ(operand.I8(-128), s.at)
	s.CMPQ(s.at, s.whole)
	s.JL(operand.LabelRef(again))
	s.Label(none)
	s.rest(stride, func(tail bool) {
		s.prefetch(0)
		s.measureChunk(sums, 0, tail)
	}, s.at)
	return sums
}

// prefetch asks for the memory that is ahead.
func (s *passState) prefetch(offset int) {
	s.PREFETCHT1(operand.Mem{Base: s.next, Index: s.at, Scale: 1, Disp: offset + linesAhead})
	s.PREFETCHT0(operand.Mem{Base: s.next, Index: s.at, Scale: 1, Disp: offset + soonAhead})
}

// rest calls do for the entries after the pairs of whole chunks: a whole chunk, after which it
// moves on, and an incomplete one.
func (s *passState) rest(stride reg.Register, do func(tail bool), place reg.Register) {
	even, none := s.label("even"), s.label("none")
	s.TESTQ(operand.U32(64), stride)
	s.JZ(operand.LabelRef(even))
	do(false)
	s.ADDQ(operand.U8(64), place)
	s.Label(even)
	s.CMPQ(s.place("mask"), operand.U8(0))
	s.JE(operand.LabelRef(none))
	do(true)
	s.Label(none)
}

// measureChunk adds the products of a chunk to partial sums.
func (s *passState) measureChunk(sums []reg.Register, offset int, tail bool) {
	for h, sum := range sums {
		x := operand.Mem{Base: s.next, Index: s.at, Scale: 1, Disp: offset + 32*h}
		product := s.vector()
		s.part(operand.Mem{Base: s.w, Index: s.at, Scale: 1, Disp: offset + 32*h}, product, h, tail)
		s.VMULPS(s.operand(x, h, tail), product, product)
		s.VADDPS(product, sum, sum)
	}
}

// addChunk adds a chunk of two rows to their sum.
func (s *passState) addChunk(stride reg.Register, tail bool) {
	for h := range s.halves() {
		m := operand.Mem{Base: s.dst, Index: s.added, Scale: 1, Disp: 32 * h}
		row, rows := s.GP64(), strides{one: stride}
		s.LEAQ(operand.Mem{Base: s.last, Index: s.added, Scale: 1, Disp: 32 * h}, row)
		sum := s.vector()
		s.part(rows.at(row, 0, 0), sum, h, tail)
		s.VFMADD213PS(s.operand(m, h, tail), s.factors[0], sum)
		s.VFMADD231PS(s.operand(rows.at(row, 1, 0), h, tail), s.factors[1], sum)
		switch {
		case !tail:
			s.VMOVUPS(sum, m)
		case s.set.masks:
			s.VMOVUPS(sum, s.tail, m)
		default:
			s.VMASKMOVPS(sum, s.masks[h], m)
		}
	}
}

// operand is half number h of a chunk in memory, or of an incomplete one what is there in
// a register.
func (s *passState) operand(m operand.Mem, h int, tail bool) operand.Op {
	if !tail {
		return m
	}
	v := s.vector()
	s.part(m, v, h, tail)
	return v
}

// part loads half number h of a chunk, of an incomplete one only what is there.
func (s *passState) part(m operand.Mem, v reg.Register, h int, tail bool) {
	if tail && !s.set.masks {
		s.VMASKMOVPS(m, s.masks[h], v)
		return
	}
	s.loadSingles(m, v, tail)
}

// loadMasks makes what selects the entries of the incomplete chunk.
func (s *passState) loadMasks() {
	s.loadTail()
	if s.set.masks {
		return
	}
	begin, count := s.GP64(), s.argument("dim")
	s.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("rowMasks"), 64), begin)
	s.ANDQ(operand.U8(15), count)
	s.SHLQ(operand.U8(2), count)
	s.SUBQ(count, begin)
	for h := range s.halves() {
		v := s.vector()
		s.VMOVUPS(operand.Mem{Base: begin, Disp: 32 * h}, v)
		s.masks = append(s.masks, v)
	}
}

// maskTable writes sixteen numbers of all ones and sixteen zeros.
func maskTable(c *build.Context) {
	c.StaticGlobal("rowMasks")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for l := range 32 {
		ones := uint32(0)
		if l < 16 {
			ones = ^ones
		}
		c.AddDatum(4*l, operand.U32(ones))
	}
}
