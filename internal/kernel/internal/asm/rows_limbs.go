package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// limbStrip is how many coordinates a kernel of limbs takes together: four registers of
// sums for each limb of a column's factors.
const limbStrip = 64

// limbWordBytes is the distance of the packed factors of two columns.
const limbWordBytes = 16

// limbShape is the shape of a kernel: its entries, the number of limbs of factors, and the columns
// that it takes together.
type limbShape struct {
	name           string
	of             rowEntry
	limbs, columns int
}

// limbShapes are the kernels. Each leaves registers for the entries of a group of rows.
var limbShapes = []limbShape{
	{"addTwoLimbs", rowByte, 2, 3}, {"addThreeLimbs", rowByte, 3, 2}, {"addFourLimbs", rowByte, 4, 1},
	{"addOneLimb", rowShort, 1, 3}, {"addTwoLimbs", rowShort, 2, 3}, {"addThreeLimbs", rowShort, 3, 2},
}

// group is how many rows an instruction multiplies together.
func (s limbShape) group() int { return 4 / s.of.bytes }

// limbState is the state that the parts of a limb kernel share. An instruction multiplies the
// entries of a group of rows with one limb of as many factors. A group has four rows of bytes, or
// two of 16 bits. The products are added in 32 bits.
type limbState struct {
	*rowKernel
	limbShape
	dst, out, factors, left, ahead operand.Mem  // where a strip and a column begin, columns to do
	mask                           operand.Mem  // of the coordinates after whole strips
	x                              reg.Register // the strip of the first row
}

// limbSums are the sums of each column and limb, in four registers of 16 coordinates.
type limbSums [][][4]reg.VecVirtual

// limbKernel writes a kernel of AddWhole. For each strip of coordinates it visits the tiles of
// columns, and for each tile the groups of rows. If there is more than one tile of columns, it
// first writes the rows of a strip to room, in the order of the products.
func (k *rowKernel) limbKernel(shape limbShape) {
	arguments := "dst *float64, x " + shape.of.pointer + ", factors *uint32, room *uint8, groups, dim, columns, stride, ahead int, mask uint64"
	if shape.of == rowShort {
		arguments += ", base float64"
	}
	k.begin(shape.name, arguments)
	s := &limbState{rowKernel: k, limbShape: shape, dst: k.keep("dst"), out: k.AllocLocal(8), factors: k.AllocLocal(8), left: k.AllocLocal(8), ahead: k.AllocLocal(8), mask: k.keep("mask")}
	s.x = k.argument("x")
	strips := k.argument("dim")
	k.SHRQ(operand.U8(6), strips)
	k.TESTQ(strips, strips)
	k.JZ(operand.LabelRef("tail"))
	k.Label("strips")
	s.strip()
	k.ADDQ(operand.U32(limbStrip*shape.of.bytes), s.x)
	k.ADDQ(operand.U32(8*limbStrip), s.dst)
	k.DECQ(strips)
	k.JNZ(operand.LabelRef("strips"))
	k.Label("tail")
	s.narrowStrips()
	k.end()
}

// strip adds all rows to a strip of every column, and together with the first columns, or before them, asks
// for the memory ahead.
func (s *limbState) strip() {
	few, done := s.beginStrip()
	s.writeRoom()
	for columns := s.columns; columns > 0; columns-- {
		s.allColumns(columns, true)
	}
	s.JMP(operand.LabelRef(done))
	s.Label(few)
	for columns := s.columns; columns > 0; columns-- {
		s.allColumns(columns, false)
	}
	s.Label(done)
}

// beginStrip goes to the first column, and jumps to few if one tile takes all.
func (s *limbState) beginStrip() (few, done string) {
	s.MOVQ(s.fetch(s.dst), s.out)
	s.MOVQ(s.argument("factors"), s.factors)
	s.MOVQ(s.argument("columns"), s.left)
	s.MOVQ(s.argument("ahead"), s.ahead)
	few, done = s.label("few"), s.label("done")
	s.CMPQ(s.left, operand.U8(s.columns))
	s.JLE(operand.LabelRef(few))
	return few, done
}

// allColumns adds all rows to as many tiles of this many columns as there are.
func (s *limbState) allColumns(columns int, room bool) {
	again, fewer := s.label("columns"), s.label("fewer")
	s.Label(again)
	s.CMPQ(s.left, operand.U8(columns))
	s.JL(operand.LabelRef(fewer))
	sums := s.allGroups(columns, room)
	out, distance := s.fetch(s.out), s.argument("dim")
	for _, column := range sums {
		s.finish(out, column)
		s.LEAQ(operand.Mem{Base: out, Index: distance, Scale: 8}, out)
	}
	s.nextTile(out, columns)
	s.JMP(operand.LabelRef(again))
	s.Label(fewer)
}

// nextTile moves on by this many columns; out is after them.
func (s *limbState) nextTile(out reg.Register, columns int) {
	s.MOVQ(out, s.out)
	s.ADDQ(operand.U32(limbWordBytes*columns), s.factors)
	s.MOVQ(operand.U32(0), s.ahead)
	s.SUBQ(operand.U8(columns), s.left)
}

// rowsOfGroups goes through the groups of rows of a strip: do gets the address of the first row of each.
func (s *limbState) rowsOfGroups(do func(x reg.Register, rows strides)) {
	x, next, left := s.GP64(), s.fetch(s.ahead), s.argument("groups")
	s.MOVQ(s.x, x)
	s.ADDQ(x, next)
	rows, group := s.stridesOf(s.argument("stride"), s.group()), s.group()
	again := s.label("groups")
	s.Label(again)
	for r := 0; r < group; r += 2 { // as halfAhead has it
		for line := range s.entry.bytes {
			s.PREFETCHT0(rows.at(next, r, 64*line))
		}
	}
	do(x, rows)
	s.LEAQ(operand.Mem{Base: x, Index: rows.one, Scale: uint8(group)}, x)
	s.LEAQ(operand.Mem{Base: next, Index: rows.one, Scale: uint8(group)}, next)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
}

// writeRoom writes the four registers of each group to room.
func (s *limbState) writeRoom() {
	room := s.argument("room")
	s.rowsOfGroups(func(x reg.Register, rows strides) {
		for v, entry := range s.interleaveRows(x, rows) {
			s.VMOVDQU64(entry, operand.Mem{Base: room, Disp: limbStrip * v})
		}
		s.ADDQ(operand.U32(4*limbStrip), room)
	})
}

// fromRoom goes through the groups of rows that writeRoom wrote.
func (s *limbState) fromRoom(do func(entries [4]reg.VecVirtual)) {
	room, left := s.argument("room"), s.argument("groups")
	again := s.label("groups")
	s.Label(again)
	var entries [4]reg.VecVirtual
	for v := range entries {
		entries[v] = s.ZMM()
		s.VMOVDQU64(operand.Mem{Base: room, Disp: limbStrip * v}, entries[v])
	}
	do(entries)
	s.ADDQ(operand.U32(4*limbStrip), room)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
}

// allGroups returns the sums of some columns, with the coordinates in the order of interleave.
func (s *limbState) allGroups(columns int, room bool) limbSums {
	sums := make(limbSums, columns)
	for c := range sums {
		sums[c] = make([][4]reg.VecVirtual, s.limbs)
		for l := range sums[c] {
			for v := range sums[c][l] {
				sum := s.ZMM()
				s.VXORPS(sum, sum, sum)
				sums[c][l][v] = sum
			}
		}
	}
	factor, apart := s.fetch(s.factors), s.argument("columns")
	s.SHLQ(operand.U8(4), apart)
	add := func(entries [4]reg.VecVirtual) {
		s.addGroup(sums, entries, factor)
		s.ADDQ(apart, factor)
	}
	if room {
		s.fromRoom(add)
	} else {
		s.rowsOfGroups(func(x reg.Register, rows strides) { add(s.interleaveRows(x, rows)) })
	}
	return sums
}

// addGroup adds the products of a group of rows.
func (s *limbState) addGroup(sums limbSums, entries [4]reg.VecVirtual, factor reg.Register) {
	for c, column := range sums {
		for l := range column {
			limb := s.ZMM()
			s.VPBROADCASTD(operand.Mem{Base: factor, Disp: limbWordBytes*c + 4*l}, limb)
			for v, entry := range entries {
				if s.entry == rowByte {
					s.VPDPBUSD(limb, entry, column[l][v])
				} else {
					s.VPDPWSSD(limb, entry, column[l][v])
				}
			}
		}
	}
}

// interleaveRows loads a strip of a group of rows so that the entries of one coordinate stand together in 32 bits.
func (s *limbState) interleaveRows(x reg.Register, rows strides) [4]reg.VecVirtual {
	if s.entry == rowByte {
		return s.interleave(x, rows)
	}
	return s.interleaveShorts(x, rows)
}

// interleave is interleaveRows for bytes. Instructions work within quarters of a register, so that quarter i
// of register v holds the coordinates from 16·i+4·v to 16·i+4·v+3.
func (s *limbState) interleave(x reg.Register, rows strides) [4]reg.VecVirtual {
	var low, high [2]reg.VecVirtual
	for p := range 2 {
		a, b := s.ZMM(), s.ZMM()
		s.VMOVDQU64(rows.at(x, 2*p, 0), a)
		s.VMOVDQU64(rows.at(x, 2*p+1, 0), b)
		low[p], high[p] = s.ZMM(), s.ZMM()
		s.VPUNPCKLBW(b, a, low[p])
		s.VPUNPCKHBW(b, a, high[p])
	}
	out := [4]reg.VecVirtual{s.ZMM(), s.ZMM(), s.ZMM(), s.ZMM()}
	s.VPUNPCKLWD(low[1], low[0], out[0])
	s.VPUNPCKHWD(low[1], low[0], out[1])
	s.VPUNPCKLWD(high[1], high[0], out[2])
	s.VPUNPCKHWD(high[1], high[0], out[3])
	return out
}

// interleaveShorts is interleaveRows for two rows of 16 bits: quarter i of register 2·h + v holds the coordinates from
// 32·h+8·i+4·v to 32·h+8·i+4·v+3.
func (s *limbState) interleaveShorts(x reg.Register, rows strides) (out [4]reg.VecVirtual) {
	for h := range 2 {
		a, b := s.ZMM(), s.ZMM()
		s.VMOVDQU64(rows.at(x, 0, 64*h), a)
		s.VMOVDQU64(rows.at(x, 1, 64*h), b)
		out[2*h], out[2*h+1] = s.ZMM(), s.ZMM()
		s.VPUNPCKLWD(b, a, out[2*h])
		s.VPUNPCKHWD(b, a, out[2*h+1])
	}
	return out
}

// limbTables writes constant tables: the weight of the upper limbs in units of the lower ones, and
// the addend that makes limbs nonnegative. The other tables are permutations: of the bytes of four
// integers, of the quarters of four rows, and of the 16-bit entries of two rows.
func limbTables(c *build.Context) {
	c.StaticGlobal("limbBaseByte")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U64(math.Float64bits(1<<16)))
	c.StaticGlobal("limbBias")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U32(0x80808080))
	c.StaticGlobal("limbTurn")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for v := range 4 {
		for r := range 4 {
			c.AddDatum(4*(4*v+r), operand.U32(4*r+v))
		}
	}
	c.StaticGlobal("limbTurnShort")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for j := range narrowStrip {
		c.AddDatum(4*j, operand.U16(j))
		c.AddDatum(4*j+2, operand.U16(narrowStrip+j))
	}
	c.StaticGlobal("limbPlaces")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for l := range 4 {
		for r := range 4 {
			c.AddDatum(4*l+r, operand.U8(4*r+l))
		}
	}
}
