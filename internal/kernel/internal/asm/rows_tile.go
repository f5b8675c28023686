package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// marginChunk says where a chunk of each row and each column is, or half number h of it.
type marginChunk struct {
	x, w func(i, h int) operand.Mem
	tail bool // whether only the tail of it is there
}

// add adds the products of a chunk to the sums of a tile.
func (s *marginState) add(t marginTile, sums [][]reg.Register, chunk marginChunk) {
	if s.entry == rowBit {
		s.addBits(t, sums, chunk)
		return
	}
	for h := range s.halves() {
		w := s.weights(t, chunk, h)
		for r := range t.rows {
			s.addProducts(chunk.x(r, h), w, sums[r*t.columns:], h, chunk.tail)
		}
	}
}

// weights loads a part of each column.
func (s *marginState) weights(t marginTile, chunk marginChunk, h int) []reg.Register {
	var w []reg.Register
	for c := range t.columns {
		v := s.vector()
		s.loadSingles(chunk.w(c, h), v, chunk.tail)
		w = append(w, v)
	}
	return w
}

// addBits is add for rows of bits. Without masks there are too few registers for the
// weights of all columns.
func (s *marginState) addBits(t marginTile, sums [][]reg.Register, chunk marginChunk) {
	var w []reg.Register
	if s.set.masks {
		w = s.weights(t, chunk, 0)
	}
	for r := range t.rows {
		for h, selected := range s.selectBits(chunk.x(r, 0), chunk.tail) {
			for c := range t.columns {
				if w == nil {
					s.addWhereSet(selected, chunk.w(c, h), sums[r*t.columns+c][h])
				} else {
					s.addWhereSet(selected, w[c], sums[r*t.columns+c][h])
				}
			}
		}
	}
}

// addProducts adds the products of a part of one row with the same part of each column.
// The product is rounded before it is added.
func (s *marginState) addProducts(m operand.Mem, w []reg.Register, sums [][]reg.Register, h int, tail bool) {
	x := operand.Op(m)
	if s.entry != rowSingle || tail || len(w) > 1 {
		x = s.load(m, tail)
	}
	for c := range w {
		product := s.vector()
		s.VMULPS(x, w[c], product)
		s.VADDPS(product, sums[c][h], sums[c][h])
	}
}

// store adds the partial sums of each product and stores the sums, four at a time. It then advances
// past the finished rows.
func (s *marginState) store(t marginTile, sums [][]reg.Register) {
	for i := 0; i < len(sums); i += 4 {
		var four [4]reg.Register
		for j := range four {
			if i+j < len(sums) {
				four[j] = s.eight(sums[i+j])
			} else {
				four[j] = four[j-1]
			}
		}
		total := s.four(four)
		for j := range min(4, len(sums)-i) {
			column := (i + j) % t.columns
			switch {
			case t.columns < 4:
				s.VEXTRACTPS(operand.U8(j), total, operand.Mem{Base: s.out, Disp: 4 * column})
			case column == 0:
				s.VMOVUPS(total, operand.Mem{Base: s.out})
			}
			if column == t.columns-1 {
				s.ADDQ(s.distance, s.out)
			}
		}
	}
}

// eight adds the upper eight of sixteen partial sums to the lower eight.
func (k *rowKernel) eight(sums []reg.Register) reg.Register {
	v := k.YMM()
	if k.set.masks {
		k.VEXTRACTF64X4(operand.U8(1), sums[0], v)
		k.VADDPS(sums[0].(reg.VecVirtual).AsY(), v, v)
	} else {
		k.VADDPS(sums[1], sums[0], v)
	}
	return v
}

// four ends the sums of four products that have eight partial sums each. Where there are
// fewer, the last stands several times.
func (k *rowKernel) four(sums [4]reg.Register) reg.Register {
	var halved [4]reg.Register
	for i, v := range sums {
		if i > 0 && v == sums[i-1] {
			halved[i] = halved[i-1]
			continue
		}
		upper := k.XMM()
		if k.set.masks { // so that it takes every register
			k.VEXTRACTF32X4(operand.U8(1), v, upper)
		} else {
			k.VEXTRACTF128(operand.U8(1), v, upper)
		}
		k.VADDPS(v.(reg.VecVirtual).AsX(), upper, upper)
		halved[i] = upper
	}
	var pairs [2]reg.Register
	for i := range pairs {
		low, high := k.XMM(), k.XMM()
		k.VUNPCKLPD(halved[2*i+1], halved[2*i], low)
		k.VUNPCKHPD(halved[2*i+1], halved[2*i], high)
		k.VADDPS(low, high, high)
		pairs[i] = high
	}
	even, odd := k.XMM(), k.XMM()
	k.VSHUFPS(operand.U8(0x88), pairs[1], pairs[0], even)
	k.VSHUFPS(operand.U8(0xdd), pairs[1], pairs[0], odd)
	k.VADDPS(even, odd, odd)
	return odd
}
