package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// productTile is this many rows times this many columns of integers.
type productTile struct{ rows, columns int }

// productTiles are the tiles of a kernel, the most columns first; for each number of columns the most rows
// first. Together they take any number of rows and columns.
func (k *rowKernel) productTiles() [][]productTile {
	switch {
	case k.set.masks:
		return [][]productTile{{{4, 2}, {1, 2}}, {{8, 1}, {4, 1}, {1, 1}}}
	case k.entry == rowByte:
		return [][]productTile{{{4, 2}, {1, 2}}, {{4, 1}, {1, 1}}}
	}
	return [][]productTile{{{2, 2}, {1, 2}}, {{4, 1}, {1, 1}}}
}

// productLimbs is how many numbers a weight is written in. Without the instruction for bytes these are multiplied
// by 16-bit weights as they are.
func (k *rowKernel) productLimbs() int {
	if k.entry == rowByte && !k.set.masks {
		return 1
	}
	return 2
}

// productState is what the tiles of a kernel of products share.
type productState struct {
	*rowKernel
	byColumn                   bool         // whether the products of a column stand together
	left, dst, w, units, ahead operand.Mem  // columns to do, and where they begin
	next                       operand.Mem  // of the memory ahead
	x, upper, out, rows        reg.Register // of the rows to do; upper is four rows after x
	distance                   reg.Register // between rows of dst, or columns
	xs, ws                     strides      // between rows of x, limbs of w
}

// products writes the kernel of WholeColumns for one type of entries. It reads a row in chunks,
// each of one register. It multiplies each chunk by the limbs of the weights, and adds in 32 bits,
// modulo 2^32. The weights have zeros after their end, since instruction sets without masks read
// whole registers.
//
// The kernel by column writes the products of a column next to each other, and columns distance
// bytes apart. The other kernel writes the products of a row next to each other.
func (k *rowKernel) products(byColumn bool) {
	name := "products"
	if byColumn {
		name = "columnProducts"
	}
	weights := "*int16"
	if k.entry == rowByte && k.set.masks {
		weights = "*int8"
	}
	k.begin(name, "dst *float32, x "+k.entry.pointer+", w "+weights+", units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64")
	s := &productState{rowKernel: k, byColumn: byColumn, left: k.keep("columns"), dst: k.keep("dst"), w: k.keep("w"), units: k.keep("units"), ahead: k.keep("ahead")}
	if k.set.masks {
		s.next = k.AllocLocal(8)
		first := k.argument("x")
		k.ADDQ(k.place("next"), first)
		k.MOVQ(first, s.next)
	}
	k.loadTail()
	for _, tiles := range k.productTiles() {
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
func (s *productState) nextColumns(columns int) {
	s.SUBQ(operand.U8(columns), s.left)
	s.MOVQ(operand.U32(0), s.ahead)
	if s.byColumn {
		distance := s.argument("distance")
		s.IMUL3Q(operand.U8(columns), distance, distance)
		s.ADDQ(distance, s.dst)
	} else {
		s.ADDQ(operand.U8(4*columns), s.dst)
	}
	s.ADDQ(operand.U8(4*columns), s.units)
	apart := s.argument("apart")
	s.IMUL3Q(operand.U8(columns*s.productLimbs()), apart, apart)
	s.ADDQ(apart, s.w)
}

// allRows goes through the rows with some columns, many rows at a time and then fewer.
func (s *productState) allRows(tiles []productTile) {
	s.x, s.out, s.rows = s.argument("x"), s.fetch(s.dst), s.argument("rows")
	s.xs = s.stridesOf(s.argument("stride"), tiles[0].rows)
	s.ws = s.stridesOf(s.argument("apart"), 4)
	s.distance = s.argument("distance")
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
func (s *productState) tile(t productTile) {
	sums := make([][]reg.VecVirtual, s.productLimbs()) // of each limb, row and column
	for l := range sums {
		for range t.rows * t.columns {
			v := s.vector()
			s.VXORPS(v, v, v)
			sums[l] = append(sums[l], v)
		}
	}
	s.chunks(t, sums)
	s.store(t, sums)
	if s.set.masks && t.rows >= 4 {
		s.askFor()
	}
	advance := t.rows
	for ; advance >= 4; advance -= 4 {
		s.LEAQ(operand.Mem{Base: s.x, Index: s.xs.one, Scale: 4}, s.x)
	}
	for range advance {
		s.ADDQ(s.xs.one, s.x)
	}
}

// askFor asks for the next lines of the memory ahead.
func (s *productState) askFor() {
	again, none := s.label("lines"), s.label("asked")
	left, next := s.argument("lines"), s.fetch(s.next)
	s.TESTQ(left, left)
	s.JZ(operand.LabelRef(none))
	s.Label(again)
	s.PREFETCHT0(operand.Mem{Base: next})
	s.ADDQ(operand.U8(64), next)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
	s.MOVQ(next, s.next)
	s.Label(none)
}

// rowAt is the address of a row's entries this many bytes after x, or four rows after it upper.
func (s *productState) rowAt(x, upper reg.Register, r int) operand.Mem {
	if r >= 4 {
		return s.xs.at(upper, r-4, 0)
	}
	return s.xs.at(x, r, 0)
}

// chunks adds the products of all chunks.
func (s *productState) chunks(t productTile, sums [][]reg.VecVirtual) {
	again, none := s.label("chunks"), s.label("short")
	left, x, w, next := s.argument("chunks"), s.GP64(), s.fetch(s.w), s.GP64()
	var upper reg.Register
	s.MOVQ(s.x, x)
	if t.rows > 4 {
		upper = s.GP64()
		s.LEAQ(operand.Mem{Base: x, Index: s.xs.one, Scale: 4}, upper)
	}
	s.TESTQ(left, left)
	s.JZ(operand.LabelRef(none))
	s.MOVQ(s.ahead, next)
	s.Label(again)
	if s.set.masks && t.rows >= 4 {
		for r := 1; r < t.rows; r += 2 { // sums ask for the others
			m := s.rowAt(x, upper, r)
			if m.Index == nil {
				panic("asm: an odd row has no index")
			}
			to := s.GP64()
			s.LEAQ(m, to)
			s.PREFETCHT0(operand.Mem{Base: to, Index: next, Scale: 1})
		}
	}
	s.add(t, sums, x, upper, w, false)
	for _, at := range []reg.Register{x, upper} {
		if at != nil {
			s.ADDQ(operand.U8(s.chunkBytes()), at)
		}
	}
	s.ADDQ(operand.U8(s.set.bytes), w)
	s.DECQ(left)
	s.JNZ(operand.LabelRef(again))
	s.Label(none)
	if s.set.masks {
		whole := s.label("whole")
		s.CMPQ(s.place("mask"), operand.U8(0))
		s.JE(operand.LabelRef(whole))
		s.add(t, sums, x, upper, w, true)
		s.Label(whole)
	}
}

// chunkBytes is how many bytes of a row are multiplied together.
func (s *productState) chunkBytes() int {
	if s.set.masks {
		return 64
	}
	return 16 * s.entry.bytes
}

// add adds the products of a chunk.
func (s *productState) add(t productTile, sums [][]reg.VecVirtual, x, upper, w reg.Register, tail bool) {
	limbs := s.productLimbs()
	var weights []reg.VecVirtual
	for i := range t.columns * limbs {
		v := s.vector()
		s.VMOVUPS(s.ws.at(w, i, 0), v)
		weights = append(weights, v)
	}
	for r := range t.rows {
		entries := s.vector()
		switch m := s.rowAt(x, upper, r); {
		case tail && s.entry == rowByte:
			s.VMOVDQU8_Z(m, s.tail, entries)
		case tail:
			s.VMOVDQU16_Z(m, s.tail, entries)
		case s.entry == rowByte && !s.set.masks:
			s.VPMOVZXBW(m, entries)
		default:
			s.VMOVUPS(m, entries)
		}
		for c := range t.columns {
			for l := range limbs {
				s.addProducts(weights[c*limbs+l], entries, sums[l][r*t.columns+c])
			}
		}
	}
}

// addProducts adds the products of weights and entries, several for each 32 bits of the sums.
func (s *productState) addProducts(weights, entries, sum reg.VecVirtual) {
	switch {
	case s.set.masks && s.entry == rowByte:
		s.VPDPBUSD(weights, entries, sum)
	case s.set.masks:
		s.VPDPWSSD(weights, entries, sum)
	default:
		products := s.vector()
		s.VPMADDWD(weights, entries, products)
		s.VPADDD(products, sum, sum)
	}
}

// store puts the limbs of the products together, rounds them to float32, multiplies each by the unit of
// its column, and stores them.
func (s *productState) store(t productTile, sums [][]reg.VecVirtual) {
	unit := s.unitsOf(t)
	if s.byColumn {
		for l := range sums {
			sums[l] = turned(t, sums[l])
		}
	}
	var singles reg.VecVirtual
	if s.entry == rowByte {
		singles = s.singlesOfBytes(sums)
	} else {
		singles = s.singlesOfShorts(sums)
	}
	s.VMULPS(unit, singles, singles)
	if s.byColumn {
		s.storeColumns(t, singles)
	} else {
		s.storeAll(t, singles)
	}
}

// turned brings the sums of a tile from rows into columns.
func turned(t productTile, sums []reg.VecVirtual) (out []reg.VecVirtual) {
	for c := range t.columns {
		for r := range t.rows {
			out = append(out, sums[r*t.columns+c])
		}
	}
	return out
}

// unitsOf returns the unit of each product of a tile.
func (s *productState) unitsOf(t productTile) reg.VecVirtual {
	units, unit := s.fetch(s.units), s.YMM()
	switch {
	case t.columns == 1:
		s.VBROADCASTSS(operand.Mem{Base: units}, unit)
	case !s.byColumn || t.rows == 1:
		s.VBROADCASTSD(operand.Mem{Base: units}, unit)
	case t.rows == 4:
		second := s.YMM()
		s.VBROADCASTSS(operand.Mem{Base: units}, unit)
		s.VBROADCASTSS(operand.Mem{Base: units, Disp: 4}, second)
		s.VSHUFF32X4(operand.U8(0), second, unit, unit)
	}
	return unit
}

// storeColumns stores the products of a tile, which stand column after column, and moves dst on by its rows.
func (s *productState) storeColumns(t productTile, singles reg.VecVirtual) {
	first, second := operand.Mem{Base: s.out}, operand.Mem{Base: s.out, Index: s.distance, Scale: 1}
	switch t {
	case productTile{4, 2}:
		s.VMOVUPS(singles.AsX(), first)
		s.VEXTRACTF32X4(operand.U8(1), singles, second)
	case productTile{1, 2}:
		s.VEXTRACTPS(operand.U8(0), singles.AsX(), first)
		s.VEXTRACTPS(operand.U8(1), singles.AsX(), second)
	case productTile{8, 1}:
		s.VMOVUPS(singles, first)
	case productTile{4, 1}:
		s.VMOVUPS(singles.AsX(), first)
	case productTile{1, 1}:
		s.VMOVSS(singles.AsX(), first)
	default:
		panic("asm: there is no store of this tile by column")
	}
	s.ADDQ(operand.U8(4*t.rows), s.out)
}

// singlesOfBytes returns the products in 32 bits, which hold them.
func (s *productState) singlesOfBytes(sums [][]reg.VecVirtual) reg.VecVirtual {
	all := sums[0]
	if len(sums) == 2 {
		for i, low := range sums[1] {
			s.VPSLLD(operand.U8(8), all[i], all[i])
			s.VPADDD(low, all[i], all[i])
		}
	}
	total := s.totals(all)
	s.VCVTDQ2PS(total, total)
	return total
}

// singlesOfShorts returns the products by way of float64, which holds them.
func (s *productState) singlesOfShorts(sums [][]reg.VecVirtual) reg.VecVirtual {
	base, single := s.vector(), s.YMM()
	s.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol("productBase"), 0), base)
	high, low := s.vector(), s.vector()
	if s.set.masks {
		s.VCVTDQ2PD(s.totals(sums[0]), high)
		s.VCVTDQ2PD(s.totals(sums[1]), low)
	} else { // four products at most
		both := s.totals(append(four(sums[0]), four(sums[1])...))
		upper := s.XMM()
		s.VEXTRACTI128(operand.U8(1), both, upper)
		s.VCVTDQ2PD(both.AsX(), high)
		s.VCVTDQ2PD(upper, low)
	}
	s.VMULPD(base, high, high) // exact, as the sum is
	s.VADDPD(low, high, high)
	if s.set.masks {
		s.VCVTPD2PS(high, single)
	} else {
		single = high // which keeps the number of registers within the sixteen that there are without AVX-512
		s.VCVTPD2PSY(high, single.AsX())
	}
	return single
}

// four returns four registers, the last several times where there are fewer.
func four(v []reg.VecVirtual) []reg.VecVirtual {
	v = append([]reg.VecVirtual(nil), v...)
	for len(v) < 4 {
		v = append(v, v[len(v)-1])
	}
	return v
}

// totals returns the sums of the numbers in each of at most eight registers, in their order.
func (s *productState) totals(v []reg.VecVirtual) reg.VecVirtual {
	v = four(v)
	for len(v) < 8 {
		v = append(v, v[len(v)-1])
	}
	if !s.set.masks {
		return s.narrowTotals(v)
	}
	halves := s.pairwise(v, 0x44, 0xee)        // two quarters of each of two
	quarters := s.pairwise(halves, 0x88, 0xdd) // a quarter of each of four
	low, high := s.ZMM(), s.ZMM()
	s.VPUNPCKLQDQ(quarters[1], quarters[0], low)
	s.VPUNPCKHQDQ(quarters[1], quarters[0], high)
	s.VPADDD(high, low, low)
	s.VPSHUFD(operand.U8(0xb1), low, high)
	s.VPADDD(high, low, low)
	order := s.ZMM()
	s.VMOVUPS(operand.NewDataAddr(operand.NewStaticSymbol("productOrder"), 0), order)
	s.VPERMD(low, order, low)
	return low.AsY().(reg.VecVirtual)
}

// pairwise adds two quarters of registers to the others, and puts what it makes of two together.
func (s *productState) pairwise(v []reg.VecVirtual, some, others uint8) (sums []reg.VecVirtual) {
	for i := 0; i < len(v); i += 2 {
		a, b := s.ZMM(), s.ZMM()
		s.VSHUFI64X2(operand.U8(some), v[i+1], v[i], a)
		s.VSHUFI64X2(operand.U8(others), v[i+1], v[i], b)
		s.VPADDD(b, a, a)
		sums = append(sums, a)
	}
	return sums
}

// narrowTotals is totals without masks.
func (s *productState) narrowTotals(v []reg.VecVirtual) reg.VecVirtual {
	for len(v) > 2 {
		var sums []reg.VecVirtual
		for i := 0; i < len(v); i += 2 {
			a := s.YMM()
			s.VPHADDD(v[i+1], v[i], a)
			sums = append(sums, a)
		}
		v = sums
	}
	low, high := s.YMM(), s.YMM()
	s.VPERM2I128(operand.U8(0x20), v[1], v[0], low)
	s.VPERM2I128(operand.U8(0x31), v[1], v[0], high)
	s.VPADDD(high, low, low)
	return low
}

// storeAll stores the products of a tile and moves dst on.
func (s *productState) storeAll(t productTile, singles reg.VecVirtual) {
	part := singles.AsX()
	for r := range t.rows {
		at := r * t.columns
		if at == 4 {
			upper := s.XMM()
			if s.set.masks { // so that it takes every register
				s.VEXTRACTF32X4(operand.U8(1), singles, upper)
			} else {
				s.VEXTRACTF128(operand.U8(1), singles, upper)
			}
			part = upper
		}
		switch {
		case t.columns == 1:
			s.VEXTRACTPS(operand.U8(at%4), part, operand.Mem{Base: s.out})
		case at%4 == 0:
			s.VMOVLPS(part, operand.Mem{Base: s.out})
		default:
			s.VMOVHPS(part, operand.Mem{Base: s.out})
		}
		s.ADDQ(s.distance, s.out)
	}
}

// productTables writes the constants of the kernels of products: what the higher limb of a weight of 16-bit rows
// counts for, and where the totals stand.
func productTables(c *build.Context) {
	c.StaticGlobal("productBase")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U64(math.Float64bits(1<<productShift)))
	c.StaticGlobal("productOrder")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, at := range []uint32{0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0} {
		c.AddDatum(4*i, operand.U32(at))
	}
}

// productShift is how many bits the lower limb of a weight of 16-bit rows has.
const productShift = 6
