package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panelRows and panelColumns are the tile of panelProducts: 24 registers of sums, for two limbs of a weight.
const panelRows, panelColumns = 12, 16

// panelState is what the parts of panelProducts share.
type panelState struct {
	*productState
	limbs [2][panelRows]reg.VecVirtual // sums of the higher limbs and of the lower, of a row by sixteen columns
}

// panelProducts writes the kernel of WholeColumns for sixteen columns by column. The kernel of
// products follows a row; this one follows the columns. It multiplies 32 bits of a row, four bytes
// or two of 16 bits, with the limbs of as many weights of every column. So no sums within a
// register remain. Each turn prefetches for a later one, and advances by step.
//
// If the row does not end with a turn, the last turn begins tail bytes before the end of the
// previous turn, where weights are zero. If the last rows do not fill a tile, it includes earlier
// rows again.
func (k *rowKernel) panelProducts() {
	weights := "*int16"
	if k.entry == rowByte {
		weights = "*int8"
	}
	k.begin("panelProducts", "dst *float32, x "+k.entry.pointer+", w "+weights+", units *float32, rows, turns, tail, stride, distance, next, step int")
	s := &panelState{productState: &productState{rowKernel: k, byColumn: true, dst: k.keep("dst"), next: k.AllocLocal(8), left: k.keep("rows")}}
	s.x = k.argument("x")
	first := k.argument("next")
	k.ADDQ(s.x, first)
	k.MOVQ(first, s.next)
	s.xs = k.stridesOf(k.argument("stride"), 4)
	k.Label("tiles")
	s.sum()
	s.store()
	s.nextRows()
	k.end()
}

// sum makes the sums of a tile.
func (s *panelState) sum() {
	for _, limb := range []int{0, 1} {
		for r := range panelRows {
			v := s.ZMM()
			s.VXORPS(v, v, v)
			s.limbs[limb][r] = v
		}
	}
	x := [3]reg.Register{s.GP64(), s.GP64(), s.GP64()} // of each four rows
	s.MOVQ(s.x, x[0])
	s.LEAQ(operand.Mem{Base: x[0], Index: s.xs.one, Scale: 4}, x[1])
	s.LEAQ(operand.Mem{Base: x[1], Index: s.xs.one, Scale: 4}, x[2])
	w, left, next, step := s.argument("w"), s.argument("turns"), s.fetch(s.next), s.argument("step")
	s.Label("turns")
	s.PREFETCHT0(operand.Mem{Base: next})
	s.ADDQ(step, next)
	s.turn(x, w)
	for _, at := range x {
		s.ADDQ(operand.U8(4), at)
	}
	s.ADDQ(operand.U32(128), w)
	s.DECQ(left)
	s.JNZ(operand.LabelRef("turns"))
	s.MOVQ(next, s.next)
	tail := s.argument("tail")
	s.TESTQ(tail, tail)
	s.JZ(operand.LabelRef("whole"))
	for _, at := range x {
		s.SUBQ(tail, at)
	}
	s.turn(x, w)
	s.Label("whole")
}

// turn adds the products of 32 bits of each row.
func (s *panelState) turn(x [3]reg.Register, w reg.Register) {
	var weights [2]reg.VecVirtual
	for l := range weights {
		weights[l] = s.ZMM()
		s.VMOVDQU64(operand.Mem{Base: w, Disp: 64 * l}, weights[l])
	}
	for r := range panelRows {
		entries := s.ZMM()
		s.VPBROADCASTD(s.xs.at(x[r/4], r%4, 0), entries)
		for l, weight := range weights {
			s.addProducts(weight, entries, s.limbs[l][r])
		}
	}
}

// store puts the limbs together and stores the products, four rows at a time.
func (s *panelState) store() {
	units, distance := s.ZMM(), s.stridesOf(s.argument("distance"), 4)
	from := s.argument("units")
	s.VMOVUPS(operand.Mem{Base: from}, units)
	base := s.ZMM()
	if s.entry == rowShort {
		s.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol("productBase"), 0), base)
	}
	for first := 0; first < panelRows; first += 4 {
		var rows [4]reg.VecVirtual
		for r := range rows {
			rows[r] = s.singles(s.limbs[0][first+r], s.limbs[1][first+r], base)
			s.VMULPS(units, rows[r], rows[r])
		}
		s.storeFour(s.columnsOf(rows), distance, 4*first)
	}
}

// singles returns a row's products in float32, rounded once.
func (s *panelState) singles(high, low, base reg.VecVirtual) reg.VecVirtual {
	if s.entry == rowByte {
		s.VPSLLD(operand.U8(8), high, high)
		s.VPADDD(low, high, high)
		s.VCVTDQ2PS(high, high)
		return high
	}
	both, second := s.ZMM(), s.YMM()
	s.VXORPS(both, both, both) // so that all of it has a value
	for h, to := range []reg.VecVirtual{both.AsY().(reg.VecVirtual), second} {
		upper, lower := s.doubles(high, h), s.doubles(low, h)
		s.VMULPD(base, upper, upper) // exact, as the sum is
		s.VADDPD(lower, upper, upper)
		s.VCVTPD2PS(upper, to)
	}
	s.VINSERTF64X4(operand.U8(1), second, both, both)
	return both
}

// doubles returns half h of a register in float64.
func (s *panelState) doubles(v reg.VecVirtual, h int) reg.VecVirtual {
	return (&limbState{rowKernel: s.rowKernel}).half(v, h)
}

// columnsOf brings four rows of sixteen products into columns: quarter i of register j holds those of column 4·i+j.
func (s *panelState) columnsOf(rows [4]reg.VecVirtual) (columns [4]reg.VecVirtual) {
	var pairs [4]reg.VecVirtual // columns 0 and 1 of rows 0 and 1, columns 2 and 3; of rows 2 and 3
	for p := range 2 {
		pairs[2*p], pairs[2*p+1] = s.ZMM(), s.ZMM()
		s.VUNPCKLPS(rows[2*p+1], rows[2*p], pairs[2*p])
		s.VUNPCKHPS(rows[2*p+1], rows[2*p], pairs[2*p+1])
	}
	for j := range columns {
		columns[j] = s.ZMM()
		if j%2 == 0 {
			s.VUNPCKLPD(pairs[2+j/2], pairs[j/2], columns[j])
		} else {
			s.VUNPCKHPD(pairs[2+j/2], pairs[j/2], columns[j])
		}
	}
	return columns
}

// storeFour stores the products of four rows, this many bytes from the first row of the tile on.
func (s *panelState) storeFour(columns [4]reg.VecVirtual, distance strides, at int) {
	out := s.fetch(s.dst)
	for quarter := range 4 {
		for j, column := range columns {
			to := distance.at(out, j, at)
			if quarter == 0 {
				s.VMOVUPS(column.AsX(), to)
			} else {
				s.VEXTRACTF32X4(operand.U8(quarter), column, to)
			}
		}
		s.LEAQ(operand.Mem{Base: out, Index: distance.one, Scale: 4}, out)
	}
}

// nextRows goes on with the rows after the tile, or as many before them as a tile lacks.
func (s *panelState) nextRows() {
	stride := s.xs.one
	tile := s.GP64()
	s.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, tile)
	s.LEAQ(operand.Mem{Base: s.x, Index: tile, Scale: 4}, s.x)
	s.ADDQ(operand.U8(4*panelRows), s.dst)
	left := s.fetch(s.left)
	s.SUBQ(operand.U8(panelRows), left)
	s.JZ(operand.LabelRef("done"))
	s.MOVQ(left, s.left)
	s.SUBQ(operand.U8(panelRows), left)
	s.JGE(operand.LabelRef("tiles"))
	s.MOVQ(operand.U32(panelRows), s.left)
	out := s.fetch(s.dst)
	s.LEAQ(operand.Mem{Base: out, Index: left, Scale: 4}, out)
	s.MOVQ(out, s.dst)
	s.IMULQ(stride, left)
	s.ADDQ(left, s.x)
	s.JMP(operand.LabelRef("tiles"))
	s.Label("done")
}
