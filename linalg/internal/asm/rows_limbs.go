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

// limbShape says of which entries and of how many limbs of factors a kernel is, and how many columns it
// takes together.
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

// limbState is what the parts of a kernel of limbs share. An instruction multiplies the entries of a group of rows, four
// of bytes and two of 16 bits, with a limb of as many factors, and adds the products up in 32 bits.
type limbState struct {
	*rowKernel
	limbShape
	dst, out, factors, left, ahead operand.Mem  // where a strip and a column begin, columns to do
	mask                           operand.Mem  // of the coordinates behind whole strips
	x                              reg.Register // the strip of the first row
}

// limbSums are the sums of each column and limb, in four registers of 16 coordinates.
type limbSums [][][4]reg.VecVirtual

// limbKernel writes a kernel of AddWhole. For each strip of coordinates it goes through the
// columns, and for each tile of them through the groups of rows. Where there are more columns than one tile it writes
// the rows of a strip to room first, in the order that products are made in.
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

// allColumns adds all rows to as many tiles of so many columns as there are.
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

// nextTile moves on by so many columns; out is behind them.
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

// finish adds the sums of all limbs of a column to a strip of dst. Of bytes the lower two limbs, and the upper ones, are
// put together in 32 bits first, which hold them for so few rows.
func (s *limbState) finish(out reg.Register, sums [][4]reg.VecVirtual) {
	var parts [4][]reg.VecVirtual // of each register
	for v := range parts {
		for l := range sums {
			parts[v] = append(parts[v], sums[l][v])
		}
		parts[v] = s.pairs(parts[v])
	}
	for l := range parts[0] {
		ordered := s.inOrder([4]reg.VecVirtual{parts[0][l], parts[1][l], parts[2][l], parts[3][l]})
		for v := range parts {
			parts[v][l] = ordered[v]
		}
	}
	counts := s.counts(len(parts[0]))
	for v := range parts {
		s.addParts(out, parts[v], counts, 16*v, nil)
	}
}

// counts returns what a part counts for in the one below it, where there are several.
func (s *limbState) counts(parts int) reg.VecVirtual {
	counts := s.ZMM()
	switch {
	case parts == 1:
	case s.entry == rowByte:
		s.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol("limbBaseByte"), 0), counts)
	default:
		s.VBROADCASTSD(s.place("base"), counts)
	}
	return counts
}

// addParts adds the parts of sixteen sums to dst, from coordinate number at of the strip on; those of the mask, if there
// is one.
func (s *limbState) addParts(out reg.Register, parts []reg.VecVirtual, counts reg.VecVirtual, at int, mask reg.Register) {
	for h := range 2 {
		total := s.half(parts[len(parts)-1], h)
		for l := len(parts) - 2; l >= 0; l-- {
			s.VFMADD213PD(s.half(parts[l], h), counts, total)
		}
		s.addTotal(operand.Mem{Base: out, Disp: 8 * (at + 8*h)}, total, h, mask)
	}
}

// pairs puts limbs of bytes together, the lower before the upper.
func (s *limbState) pairs(limbs []reg.VecVirtual) (parts []reg.VecVirtual) {
	if s.entry != rowByte {
		return limbs
	}
	for l := 0; l < len(limbs); l += 2 {
		if l+1 < len(limbs) {
			s.VPSLLD(operand.U8(8), limbs[l+1], limbs[l+1])
			s.VPADDD(limbs[l+1], limbs[l], limbs[l])
		}
		parts = append(parts, limbs[l])
	}
	return parts
}

// packLimbs writes the kernel that splits factors into limbs. Of each group of four rows it takes eight columns at a time, turns them into integers of 32 bits, brings those of four rows together, and transposes their
// bytes. It returns the largest magnitude; what does not fit 32 bits counts as 2^31.
func packLimbs(c *build.Context) {
	k := &rowKernel{Context: c, set: rowSet{"AVX512", 64, true}}
	k.begin("packLimbs", "words *uint32, q *float64, groups, columns, count int, mask uint64) (largest uint32")
	words, q, left := k.argument("words"), k.argument("q"), k.argument("groups")
	apart, last := k.argument("columns"), k.K()
	k.SHLQ(operand.U8(3), apart)
	rows := k.stridesOf(apart, 4)
	k.KMOVQ(k.argument("mask"), last)
	p := &limbPacker{rowKernel: k, bias: k.YMM(), places: k.YMM(), most: k.YMM()}
	k.VPBROADCASTD(operand.NewDataAddr(operand.NewStaticSymbol("limbBias"), 0), p.bias)
	k.VBROADCASTI32X4(operand.NewDataAddr(operand.NewStaticSymbol("limbPlaces"), 0), p.places)
	k.VPXORD(p.most, p.most, p.most)
	k.Label("groups")
	column, done := k.GP64(), k.argument("count")
	k.MOVQ(q, column)
	k.Label("columns")
	k.CMPQ(done, operand.U8(8))
	k.JLE(operand.LabelRef("last"))
	p.eight(words, rows, column, nil)
	k.ADDQ(operand.U8(64), column)
	k.ADDQ(operand.U32(8*limbWordBytes), words)
	k.SUBQ(operand.U8(8), done)
	k.JMP(operand.LabelRef("columns"))
	k.Label("last")
	p.eight(words, rows, column, last)
	k.SHLQ(operand.U8(4), done)
	k.ADDQ(done, words)
	k.LEAQ(operand.Mem{Base: q, Index: rows.one, Scale: 4}, q)
	k.DECQ(left)
	k.JNZ(operand.LabelRef("groups"))
	p.end()
}

// limbPacker is what the parts of packLimbs share.
type limbPacker struct {
	*rowKernel
	bias, places, most reg.VecVirtual
}

// eight packs the factors of a group in eight columns, or in those of the mask, with zeros for the others.
func (p *limbPacker) eight(words reg.Register, rows strides, column reg.Register, mask reg.Register) {
	var integers [4]reg.VecVirtual
	for r := range integers {
		wide := p.ZMM()
		integers[r] = p.YMM()
		if mask != nil {
			p.VMOVUPD_Z(rows.at(column, r, 0), mask, wide)
		} else {
			p.VMOVUPD(rows.at(column, r, 0), wide)
		}
		p.VCVTTPD2DQ(wide, integers[r])
		size := p.YMM()
		p.VPABSD(integers[r], size)
		p.VPMAXUD(size, p.most, p.most)
	}
	var low, high [2]reg.VecVirtual
	for i := range 2 {
		low[i], high[i] = p.YMM(), p.YMM()
		p.VPUNPCKLDQ(integers[2*i+1], integers[2*i], low[i])
		p.VPUNPCKHDQ(integers[2*i+1], integers[2*i], high[i])
	}
	for i, pair := range [][2]reg.VecVirtual{low, low, high, high} {
		v, upper := p.YMM(), p.XMM()
		if i%2 == 0 {
			p.VPUNPCKLQDQ(pair[1], pair[0], v)
		} else {
			p.VPUNPCKHQDQ(pair[1], pair[0], v)
		}
		p.VPADDD(p.bias, v, v)
		p.VPXORD(p.bias, v, v)
		p.VPSHUFB(p.places, v, v)
		p.VMOVDQU32(v.AsX(), operand.Mem{Base: words, Disp: limbWordBytes * i})
		p.VEXTRACTI32X4(operand.U8(1), v, upper)
		p.VMOVDQU32(upper, operand.Mem{Base: words, Disp: limbWordBytes * (i + 4)})
	}
}

// end returns the largest magnitude.
func (p *limbPacker) end() {
	upper, half := p.YMM(), p.most
	p.VEXTRACTI32X4(operand.U8(1), half, upper.AsX())
	p.VPMAXUD(upper.AsX(), half.AsX(), half.AsX())
	for _, order := range []uint8{0x4e, 0xb1} {
		p.VPSHUFD(operand.U8(order), half.AsX(), upper.AsX())
		p.VPMAXUD(upper.AsX(), half.AsX(), half.AsX())
	}
	largest := p.GP32()
	p.VMOVD(half.AsX(), largest)
	p.Store(largest, p.ReturnIndex(0))
	p.rowKernel.end()
}

// limbTables writes what the upper limbs count for in the lower ones, what makes limbs digits without sign when it is
// added, where the bytes of four integers go, where the quarters of four rows, and the 16 bits of two.
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

// inOrder brings the coordinates of interleave into ascending order. Of bytes it transposes the quarters of four
// registers, of 16 bits it takes those of two in turns.
func (s *limbState) inOrder(v [4]reg.VecVirtual) [4]reg.VecVirtual {
	const even, odd = 0x88, 0xdd // quarters 0 and 2 of a and b, and 1 and 3
	if s.entry == rowShort {
		const low, high, turns = 0x44, 0xee, 0xd8 // quarters 0 and 1 of a and b, 2 and 3; 0, 2, 1 and 3
		var out [4]reg.VecVirtual
		for i := range out {
			a, b := v[i&^1], v[i|1]
			both := s.shuffle([]uint8{low, high}[i%2], a, b)
			out[i] = s.shuffle(turns, both, both)
		}
		return out
	}
	a, b := s.shuffle(even, v[0], v[1]), s.shuffle(even, v[2], v[3])
	c, d := s.shuffle(odd, v[0], v[1]), s.shuffle(odd, v[2], v[3])
	return [4]reg.VecVirtual{s.shuffle(even, a, b), s.shuffle(even, c, d), s.shuffle(odd, a, b), s.shuffle(odd, c, d)}
}

// shuffle takes two quarters of a and two of b.
func (s *limbState) shuffle(which uint8, a, b reg.VecVirtual) reg.VecVirtual {
	r := s.ZMM()
	s.VSHUFI32X4(operand.U8(which), b, a, r)
	return r
}

// half converts half h of a register.
func (s *limbState) half(v reg.VecVirtual, h int) reg.VecVirtual {
	half, r := v.AsY(), s.ZMM()
	if h == 1 {
		half = s.YMM()
		s.VEXTRACTI64X4(operand.U8(1), v, half)
	}
	s.VCVTDQ2PD(half, r)
	return r
}

// addTotal adds eight sums to dst, those of half h of the mask if there is one.
func (s *limbState) addTotal(m operand.Mem, total reg.VecVirtual, h int, mask reg.Register) {
	if mask == nil {
		s.VADDPD(m, total, total)
		s.VMOVUPD(total, m)
		return
	}
	if h == 1 {
		upper := s.K()
		s.KSHIFTRW(operand.U8(8), mask, upper)
		mask = upper
	}
	before := s.ZMM()
	s.VMOVUPD_Z(m, mask, before)
	s.VADDPD(before, total, total)
	s.VMOVUPD(total, mask, m)
}
