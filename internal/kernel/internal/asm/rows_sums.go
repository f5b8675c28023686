package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumTile is how many sums a kernel keeps in registers: this many columns of this many chunks.
type sumTile struct{ columns, chunks int }

// sumTiles are the tiles of a kernel, the most columns first. Each has at least eight
// registers of sums, which hide the time of an addition, and leaves room for the rest.
func (k *rowKernel) sumTiles() []sumTile {
	if k.set.masks {
		return []sumTile{{4, 4 / k.halves()}, {2, 4 / k.halves()}, {1, 8 / k.halves()}}
	}
	return []sumTile{{2, 4 / k.halves()}, {1, 8 / k.halves()}}
}

// sumState is what the tiles of a kernel of sums share.
type sumState struct {
	*rowKernel
	left, dst, factors, ahead operand.Mem // columns to do, and where they begin

	x, out, chunks reg.Register // of the chunks to do
	ds             strides      // between columns of dst
}

// sums writes a kernel of AddWhole or AddScaledRows for one type of entries. Column after column of
// tiles it goes through the chunks of dst, and adds all rows to each. Together with the first
// columns it asks for the memory that is ahead by this many bytes. mask is as for margins; sets
// without masks leave the incomplete chunk out.
func (k *rowKernel) sums(name string) {
	number := "float32"
	if k.double {
		number = "float64"
	}
	k.begin(name, "dst *"+number+", x "+k.entry.pointer+", factors *"+number+", rows, dim, columns, stride, ahead int, mask uint64")
	s := &sumState{rowKernel: k, left: k.keep("columns"), dst: k.keep("dst"), factors: k.keep("factors"), ahead: k.keep("ahead")}
	k.loadTail()
	for _, tile := range k.sumTiles() {
		again, fewer := k.label("columns"), k.label("fewer")
		k.Label(again)
		k.CMPQ(s.left, operand.U8(tile.columns))
		k.JL(operand.LabelRef(fewer))
		s.allChunks(tile)
		s.nextColumns(tile.columns)
		k.JMP(operand.LabelRef(again))
		k.Label(fewer)
	}
	k.end()
}

// number is the size of a sum in bytes.
func (s *sumState) number() int { return s.set.bytes / s.width() }

// nextColumns moves on by this many columns.
func (s *sumState) nextColumns(columns int) {
	s.SUBQ(operand.U8(columns), s.left)
	s.ADDQ(operand.U8(s.number()*columns), s.factors)
	s.MOVQ(operand.U32(0), s.ahead)
	distance := s.argument("dim")
	s.IMUL3Q(operand.U8(s.number()*columns), distance, distance)
	s.ADDQ(distance, s.dst)
}

// allChunks goes through the chunks with the columns of a tile, several chunks at a time,
// then fewer, then the tail.
func (s *sumState) allChunks(t sumTile) {
	s.x, s.out, s.chunks = s.argument("x"), s.fetch(s.dst), s.argument("dim")
	apart := s.GP64()
	s.IMUL3Q(operand.U8(s.number()), s.chunks, apart)
	s.ds = s.stridesOf(apart, t.columns)
	s.SHRQ(operand.U8(map[int]uint8{8: 3, 16: 4}[s.chunk()]), s.chunks)
	for _, tile := range s.fewerChunks(t) {
		again, fewer := s.label("chunks"), s.label("few")
		s.Label(again)
		s.CMPQ(s.chunks, operand.U8(tile.chunks))
		s.JL(operand.LabelRef(fewer))
		s.tile(tile, false)
		s.SUBQ(operand.U8(tile.chunks), s.chunks)
		s.ADDQ(operand.U32(s.entry.offset(s.chunk()*tile.chunks)), s.x)
		s.ADDQ(operand.U32(s.chunk()*tile.chunks*s.number()), s.out)
		s.JMP(operand.LabelRef(again))
		s.Label(fewer)
	}
	if s.set.masks {
		none := s.label("whole")
		s.CMPQ(s.place("mask"), operand.U8(0))
		s.JE(operand.LabelRef(none))
		s.tile(sumTile{t.columns, 1}, true)
		s.Label(none)
	}
}

// fewerChunks are a tile and those that take what it leaves. Of 16-bit rows, which are often short, a half and
// a quarter come before the last one.
func (s *sumState) fewerChunks(t sumTile) []sumTile {
	tiles := []sumTile{t}
	for n := t.chunks / 2; n > 1 && s.double && s.entry == rowShort && s.set.masks; n /= 2 {
		tiles = append(tiles, sumTile{t.columns, n})
	}
	return append(tiles, sumTile{t.columns, 1})
}

// tile adds all rows to the sums of a tile.
func (s *sumState) tile(t sumTile, tail bool) {
	sums := make([][]reg.Register, t.columns) // the registers of each column
	s.eachSum(t, func(c, v int, m operand.Mem) {
		sum := s.vector()
		switch {
		case !tail:
			s.VMOVUPS(m, sum)
		case s.double:
			s.VMOVUPD_Z(m, s.tail, sum)
		default:
			s.VMOVUPS_Z(m, s.tail, sum)
		}
		sums[c] = append(sums[c], sum)
	})
	s.allRows(t, sums, tail)
	s.eachSum(t, func(c, v int, m operand.Mem) {
		switch {
		case !tail:
			s.VMOVUPS(sums[c][v], m)
		case s.double:
			s.VMOVUPD(sums[c][v], s.tail, m)
		default:
			s.VMOVUPS(sums[c][v], s.tail, m)
		}
	})
}

// eachSum calls do with the address of each register of sums.
func (s *sumState) eachSum(t sumTile, do func(c, v int, m operand.Mem)) {
	for c := range t.columns {
		for v := range t.chunks * s.halves() {
			do(c, v, s.ds.at(s.out, c, v*s.set.bytes))
		}
	}
}

// allRows adds row after row to the sums.
func (s *sumState) allRows(t sumTile, sums [][]reg.Register, tail bool) {
	x, factor, left, stride := s.GP64(), s.fetch(s.factors), s.argument("rows"), s.argument("stride")
	apart := s.argument("columns")
	s.IMUL3Q(operand.U8(s.number()), apart, apart)
	ahead := s.fetch(s.ahead)
	toggle := s.GP64()
	if s.halfAhead(t.columns) {
		s.MOVQ(ahead, toggle)
	}
	s.MOVQ(s.x, x)
	again := s.label("rows")
	s.Label(again)
	for line := 0; line < s.entry.offset(s.chunk()*t.chunks); line += 64 {
		s.PREFETCHT0(operand.Mem{Base: x, Index: ahead, Scale: 1, Disp: line})
	}
	if s.halfAhead(t.columns) {
		s.XORQ(toggle, ahead)
	}
	s.add(t, sums, x, factor, tail)
	s.ADDQ(stride, x)
	s.ADDQ(apart, factor)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
}

// add adds one row, scaled by the factor of each column.
func (s *sumState) add(t sumTile, sums [][]reg.Register, x, factor reg.Register, tail bool) {
	var factors []reg.Register
	for c := range t.columns {
		v := s.vector()
		s.spread(operand.Mem{Base: factor, Disp: c * s.number()}, v)
		factors = append(factors, v)
	}
	for chunk := range t.chunks {
		m := operand.Mem{Base: x, Disp: s.entry.offset(s.chunk() * chunk)}
		var selected []reg.Register
		if s.entry == rowBit {
			selected = s.selectBits(m, tail)
		}
		for h := range s.halves() {
			at := chunk*s.halves() + h
			if s.entry == rowBit {
				for c, v := range factors {
					s.addWhereSet(selected[h], v, sums[c][at])
				}
				continue
			}
			entry := s.load(m.Offset(s.entry.offset(s.width()*h)), tail)
			for c, v := range factors {
				s.addProduct(v, entry, sums[c][at])
			}
		}
	}
}

// addProduct adds the product of two registers.
func (s *sumState) addProduct(a, b, sum reg.Register) {
	if s.double {
		s.VFMADD231PD(a, b, sum)
	} else {
		s.VFMADD231PS(a, b, sum)
	}
}

// spread fills a register with one number.
func (k *rowKernel) spread(m operand.Mem, v reg.Register) {
	if k.double {
		k.VBROADCASTSD(m, v)
	} else {
		k.VBROADCASTSS(m, v)
	}
}

// flushWhole writes the kernel of FlushWhole. It takes a positive multiple of eight.
func flushWhole(c *build.Context) {
	c.Function("flushWholeAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *int64, src *float64, n int)")
	dst := c.Load(c.Param("dst"), c.GP64())
	src := c.Load(c.Param("src"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	zero := c.ZMM()
	c.VPXORQ(zero, zero, zero)
	c.Label("again")
	v := c.ZMM()
	c.VCVTTPD2QQ(operand.Mem{Base: src}, v)
	c.VPADDQ(operand.Mem{Base: dst}, v, v)
	c.VMOVDQU64(v, operand.Mem{Base: dst})
	c.VMOVUPD(zero, operand.Mem{Base: src})
	c.ADDQ(operand.Imm(64), dst)
	c.ADDQ(operand.Imm(64), src)
	c.SUBQ(operand.Imm(8), n)
	c.JNZ(operand.LabelRef("again"))
	c.VZEROUPPER()
	c.RET()
}

// largestWhole writes the kernel of LargestDouble. It takes a positive multiple of eight numbers.
func largestWhole(c *build.Context) {
	c.Function("largestWholeAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(src *float64, n int) uint64")
	src := c.Load(c.Param("src"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	sign, most := c.ZMM(), c.ZMM()
	c.VPTERNLOGQ(operand.U8(0xff), sign, sign, sign)
	c.VPSRLQ(operand.U8(1), sign, sign)
	c.VPXORQ(most, most, most)
	c.Label("again")
	v := c.ZMM()
	c.VPANDQ(operand.Mem{Base: src}, sign, v)
	c.VPMAXUQ(v, most, most)
	c.ADDQ(operand.Imm(64), src)
	c.SUBQ(operand.Imm(8), n)
	c.JNZ(operand.LabelRef("again"))
	other := c.ZMM()
	c.VSHUFI64X2(operand.U8(0x4e), most, most, other)
	c.VPMAXUQ(other, most, most)
	c.VSHUFI64X2(operand.U8(0xb1), most, most, other)
	c.VPMAXUQ(other, most, most)
	c.VPERMQ(operand.U8(0xb1), most, other)
	c.VPMAXUQ(other, most, most)
	largest := c.GP64()
	c.VMOVQ(most.AsX(), largest)
	c.Store(largest, c.ReturnIndex(0))
	c.VZEROUPPER()
	c.RET()
}

// readSingles writes a kernel that sums float32 numbers, as fast as they can be read. It
// takes a positive multiple of 128.
func readSingles(c *build.Context, set rowSet) {
	k := &rowKernel{Context: c, set: set}
	c.Function("readSingles" + set.name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(x *float32, n int) float32")
	x := c.Load(c.Param("x"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	var sums [8]reg.VecVirtual
	for i := range sums {
		sums[i] = k.vector()
		c.VXORPS(sums[i], sums[i], sums[i])
	}
	c.Label("again")
	for i, sum := range sums {
		c.VADDPS(operand.Mem{Base: x, Disp: set.bytes * i}, sum, sum)
	}
	c.ADDQ(operand.U32(len(sums)*set.bytes), x)
	c.SUBQ(operand.U32(len(sums)*set.bytes/4), n)
	c.JNZ(operand.LabelRef("again"))
	for _, sum := range sums[1:] {
		c.VADDPS(sum, sums[0], sums[0])
	}
	c.Store(sums[0].AsX(), c.ReturnIndex(0))
	c.VZEROUPPER()
	c.RET()
}
