package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// narrowStrip is how many coordinates after the whole strips are taken together: one register of
// sums for each limb of a column's factors.
const narrowStrip = 16

// narrowTiles are the numbers of columns that narrow strips take together, where there is room.
func (s limbShape) narrowTiles() []int {
	if s.limbs > 3 {
		return []int{4, 1}
	}
	return []int{8, 4, 1}
}

// narrowStrips adds the coordinates after whole strips, those of the last strip under a mask.
func (s *limbState) narrowStrips() {
	s.Label("narrow")
	left, some := s.fetch(s.mask), s.GP64()
	s.TESTQ(left, left)
	s.JZ(operand.LabelRef("end"))
	s.MOVQ(left, some)
	s.ANDQ(operand.U32(1<<narrowStrip-1), some)
	s.CMPQ(some, operand.U32(1<<narrowStrip-1))
	s.JNE(operand.LabelRef("partial"))
	s.narrowStrip(nil)
	s.JMP(operand.LabelRef("next"))
	s.Label("partial")
	mask := s.K()
	s.KMOVW(some.As32(), mask)
	s.narrowStrip(mask)
	s.Label("next")
	s.ADDQ(operand.U32(narrowStrip*s.of.bytes), s.x)
	s.ADDQ(operand.U32(8*narrowStrip), s.dst)
	s.SHRQ(operand.U8(narrowStrip), s.mask)
	s.JMP(operand.LabelRef("narrow"))
	s.Label("end")
}

// narrowStrip is strip for a narrow one.
func (s *limbState) narrowStrip(mask reg.Register) {
	few, done := s.beginStrip()
	room, turn := s.argument("room"), s.loadTurn()
	s.rowsOfGroups(func(x reg.Register, rows strides) {
		s.VMOVDQU64(s.gather(x, rows, turn, mask), operand.Mem{Base: room})
		s.ADDQ(operand.U8(64), room)
	})
	for _, columns := range s.narrowTiles() {
		s.narrowColumns(columns, mask, true)
	}
	s.JMP(operand.LabelRef(done))
	s.Label(few)
	for columns := s.columns; columns > 0; columns-- {
		s.narrowColumns(columns, mask, false)
	}
	s.Label(done)
}

// limbTurn is what gather brings entries together with.
type limbTurn struct{ words, bytes reg.VecVirtual }

// loadTurn loads it.
func (s *limbState) loadTurn() (t limbTurn) {
	t.words = s.ZMM()
	if s.entry != rowByte {
		s.VMOVDQU64(operand.NewDataAddr(operand.NewStaticSymbol("limbTurnShort"), 0), t.words)
		return t
	}
	t.bytes = s.ZMM()
	s.VMOVDQU64(operand.NewDataAddr(operand.NewStaticSymbol("limbTurn"), 0), t.words)
	s.VBROADCASTI32X4(operand.NewDataAddr(operand.NewStaticSymbol("limbPlaces"), 0), t.bytes)
	return t
}

// gather loads a narrow strip of a group of rows. The entries of one coordinate become adjacent in
// 32 bits, coordinate after coordinate.
func (s *limbState) gather(x reg.Register, rows strides, turn limbTurn, mask reg.Register) reg.VecVirtual {
	out := s.ZMM()
	s.VXORPS(out, out, out)
	if s.entry != rowByte {
		for r := range 2 {
			s.VINSERTI64X4(operand.U8(r), s.part(rows.at(x, r, 0), s.YMM(), mask), out, out)
		}
		s.VPERMW(out, turn.words, out)
		return out
	}
	for r := range 4 {
		s.VINSERTI32X4(operand.U8(r), s.part(rows.at(x, r, 0), s.XMM(), mask), out, out)
	}
	s.VPERMD(out, turn.words, out)
	s.VPSHUFB(turn.bytes, out, out)
	return out
}

// part returns the entries of one row: in memory, or under a mask in v.
func (s *limbState) part(m operand.Mem, v reg.VecVirtual, mask reg.Register) operand.Op {
	switch {
	case mask == nil:
		return m
	case s.entry == rowByte:
		s.VMOVDQU8_Z(m, mask, v)
	default:
		s.VMOVDQU16_Z(m, mask, v)
	}
	return v
}

// narrowColumns is allColumns for a narrow strip.
func (s *limbState) narrowColumns(columns int, mask reg.Register, room bool) {
	again, fewer := s.label("columns"), s.label("fewer")
	s.Label(again)
	s.CMPQ(s.left, operand.U8(columns))
	s.JL(operand.LabelRef(fewer))
	sums := s.narrowGroups(columns, mask, room)
	out, distance := s.fetch(s.out), s.argument("dim")
	for _, limbs := range sums {
		parts := s.pairs(limbs)
		s.addParts(out, parts, s.counts(len(parts)), 0, mask)
		s.LEAQ(operand.Mem{Base: out, Index: distance, Scale: 8}, out)
	}
	s.nextTile(out, columns)
	s.JMP(operand.LabelRef(again))
	s.Label(fewer)
}

// narrowGroups returns the sums of each limb of some columns.
func (s *limbState) narrowGroups(columns int, mask reg.Register, fromRoom bool) [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, columns)
	for c := range sums {
		for range s.limbs {
			sum := s.ZMM()
			s.VXORPS(sum, sum, sum)
			sums[c] = append(sums[c], sum)
		}
	}
	factor, apart := s.fetch(s.factors), s.argument("columns")
	s.SHLQ(operand.U8(4), apart)
	add := func(entry reg.VecVirtual) {
		for c := range sums {
			for l, sum := range sums[c] {
				limb := operand.Mem{Base: factor, Disp: limbWordBytes*c + 4*l}
				if s.entry == rowByte {
					s.VPDPBUSD_BCST(limb, entry, sum)
				} else {
					s.VPDPWSSD_BCST(limb, entry, sum)
				}
			}
		}
		s.ADDQ(apart, factor)
	}
	if !fromRoom {
		turn := s.loadTurn()
		s.rowsOfGroups(func(x reg.Register, rows strides) { add(s.gather(x, rows, turn, mask)) })
		return sums
	}
	room, left := s.argument("room"), s.argument("groups")
	again := s.label("groups")
	s.Label(again)
	entry := s.ZMM()
	s.VMOVDQU64(operand.Mem{Base: room}, entry)
	add(entry)
	s.ADDQ(operand.U8(64), room)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
	return sums
}
