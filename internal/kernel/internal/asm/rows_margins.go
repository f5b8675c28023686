package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// marginTile is how many products a kernel makes at a time, each in a register, or in two
// where a register holds eight numbers.
type marginTile struct{ rows, columns int }

// marginTiles are the tiles of a set: for each number of columns, the most first, those of
// several rows and of one row.
func (s rowSet) marginTiles() [][2]marginTile {
	if s.masks {
		return [][2]marginTile{{{4, 4}, {1, 4}}, {{4, 2}, {1, 2}}, {{4, 1}, {1, 1}}}
	}
	return [][2]marginTile{{{2, 2}, {1, 2}}, {{4, 1}, {1, 1}}}
}

// marginState is what the tiles of a kernel of margins share.
type marginState struct {
	*rowKernel
	left, dst, w, wTail operand.Mem // columns to do, and where they begin
	ahead               operand.Mem // how far ahead memory is asked for

	x, out, rows, xTail reg.Register // of the rows to do
	distance            reg.Register // between rows of dst
	xs, ws              strides      // between rows of x, columns of w
}

// margins writes the kernel of Margins for one type of entries. Column after column of
// tiles, it goes through all rows. mask has a bit for each entry of the last and
// incomplete chunk of a row. Sets without masks read that chunk from xTail and wTail,
// which hold it for each row and column, filled with zeros.
func (k *rowKernel) margins() {
	arguments := "dst *float32, x " + k.entry.pointer + ", w *float32, rows, dim, columns, stride, ahead int, mask uint64"
	if !k.set.masks {
		arguments += ", xTail " + k.entry.pointer + ", wTail *float32"
	}
	k.begin("margins", arguments)
	s := &marginState{rowKernel: k, left: k.keep("columns"), dst: k.keep("dst"), w: k.keep("w"), ahead: k.keep("ahead")}
	if !k.set.masks {
		s.wTail = k.keep("wTail")
	}
	k.loadTail()
	for _, tiles := range k.set.marginTiles() {
		again, fewer := k.label("columns"), k.label("fewer")
		k.Label(again)
		k.CMPQ(s.left, operand.U8(tiles[0].columns))
		k.JL(operand.LabelRef(fewer))
		s.allRows(tiles)
		s.nextColumns(tiles[0].columns)
		k.JMP(operand.LabelRef(again))
		k.Label(fewer)
	}
	k.end()
}

// nextColumns moves on by this many columns.
func (s *marginState) nextColumns(columns int) {
	s.SUBQ(operand.U8(columns), s.left)
	s.MOVQ(operand.U32(0), s.ahead)
	s.ADDQ(operand.U8(4*columns), s.dst)
	if !s.set.masks {
		s.ADDQ(operand.U32(64*columns), s.wTail)
	}
	distance := s.argument("dim")
	s.IMUL3Q(operand.U8(4*columns), distance, distance)
	s.ADDQ(distance, s.w)
}

// allRows goes through the rows with the columns of a tile, several rows at a time and
// then one at a time.
func (s *marginState) allRows(tiles [2]marginTile) {
	s.x, s.out, s.rows = s.argument("x"), s.fetch(s.dst), s.argument("rows")
	s.xs = s.stridesOf(s.argument("stride"), tiles[0].rows)
	apart := s.argument("dim")
	s.SHLQ(operand.U8(2), apart)
	s.ws = s.stridesOf(apart, tiles[0].columns)
	s.distance = s.argument("columns")
	s.SHLQ(operand.U8(2), s.distance)
	if !s.set.masks && s.entry != rowBit {
		s.xTail = s.argument("xTail")
	}
	for _, tile := range tiles {
		again, fewer := s.label("rows"), s.label("few")
		s.Label(again)
		s.CMPQ(s.rows, operand.U8(tile.rows))
		s.JL(operand.LabelRef(fewer))
		s.tile(tile)
		s.SUBQ(operand.U8(tile.rows), s.rows)
		s.JMP(operand.LabelRef(again))
		s.Label(fewer)
	}
}

// tile makes and stores the products of the next rows and moves on to the rows after.
func (s *marginState) tile(t marginTile) {
	sums := make([][]reg.Register, t.rows*t.columns) // the registers of each product
	for i := range sums {
		for range s.halves() {
			v := s.vector()
			s.VXORPS(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	s.chunks(t, sums)
	s.tailChunk(t, sums)
	s.store(t, sums)
	for range t.rows {
		s.ADDQ(s.xs.one, s.x)
	}
	if s.xTail != nil {
		s.ADDQ(operand.U32(s.entry.offset(16)*t.rows), s.xTail)
	}
}

// chunks adds the products of the whole chunks.
func (s *marginState) chunks(t marginTile, sums [][]reg.Register) {
	again, none := s.label("chunks"), s.label("short")
	left := s.argument("dim")
	s.SHRQ(operand.U8(4), left)
	x, w := s.GP64(), s.fetch(s.w)
	s.MOVQ(s.x, x)
	s.TESTQ(left, left)
	s.JZ(operand.LabelRef(none))
	prefetch := s.halfAhead(t.columns) && t.rows == 4
	next := s.GP64()
	if prefetch {
		s.MOVQ(s.ahead, next)
		s.ADDQ(x, next)
	}
	s.Label(again)
	if prefetch {
		s.PREFETCHT0(s.xs.at(next, 1, 0))
		s.PREFETCHT0(s.xs.at(next, 3, 0))
		s.ADDQ(operand.U8(s.entry.offset(16)), next)
	}
	s.add(t, sums, marginChunk{
		x: func(r, h int) operand.Mem { return s.xs.at(x, r, s.entry.offset(8*h)) },
		w: func(c, h int) operand.Mem { return s.ws.at(w, c, 32*h) },
	})
	s.ADDQ(operand.U8(s.entry.offset(16)), x)
	s.ADDQ(operand.U8(64), w)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
	s.Label(none)
}

// tailChunk adds the products of the incomplete chunk, if there is one.
func (s *marginState) tailChunk(t marginTile, sums [][]reg.Register) {
	none := s.label("whole")
	s.CMPQ(s.place("mask"), operand.U8(0))
	s.JE(operand.LabelRef(none))
	chunk := marginChunk{tail: s.set.masks}
	done := s.argument("dim")
	s.SHRQ(operand.U8(4), done)
	x, w := s.GP64(), s.GP64()
	if s.xTail == nil {
		behind := s.GP64()
		s.IMUL3Q(operand.U8(s.entry.offset(16)), done, behind)
		s.LEAQ(operand.Mem{Base: s.x, Index: behind, Scale: 1}, x)
		chunk.x = func(r, h int) operand.Mem { return s.xs.at(x, r, 0) }
	} else {
		chunk.x = func(r, h int) operand.Mem {
			return operand.Mem{Base: s.xTail, Disp: s.entry.offset(16*r + 8*h)}
		}
	}
	if s.set.masks {
		s.SHLQ(operand.U8(6), done)
		s.MOVQ(s.w, w)
		s.ADDQ(done, w)
		chunk.w = func(c, h int) operand.Mem { return s.ws.at(w, c, 0) }
	} else {
		s.MOVQ(s.wTail, w)
		chunk.w = func(c, h int) operand.Mem { return operand.Mem{Base: w, Disp: 64*c + 32*h} }
	}
	s.add(t, sums, chunk)
	s.Label(none)
}
