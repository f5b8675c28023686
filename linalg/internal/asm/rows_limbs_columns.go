package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packColumns writes the kernel that splits the factors of bytes into limbs where those of a column stand together. The
// factors of a group of four rows fill a quarter of a register then, whose bytes it transposes. It takes
// four groups at a time, then one. It returns the largest magnitude; what does not fit 32 bits counts as 2^31.
func packColumns(c *build.Context) {
	k := &rowKernel{Context: c, set: rowSet{"AVX512", 64, true}}
	k.begin("packColumns", "words *uint32, q *float64, groups, columns, apart int) (largest uint32")
	words, q, left := k.argument("words"), k.argument("q"), k.argument("columns")
	distance, apart := k.argument("columns"), k.argument("apart")
	k.SHLQ(operand.U8(4), distance)
	to := k.stridesOf(distance, 4)
	p := &columnPacker{rowKernel: k, bias: k.ZMM(), places: k.ZMM(), most: k.ZMM()}
	k.VPBROADCASTD(operand.NewDataAddr(operand.NewStaticSymbol("limbBias"), 0), p.bias)
	k.VBROADCASTI32X4(operand.NewDataAddr(operand.NewStaticSymbol("limbPlaces"), 0), p.places)
	k.VPXORD(p.most, p.most, p.most)
	k.Label("columns")
	column, out, groups := k.GP64(), k.GP64(), k.argument("groups")
	k.MOVQ(q, column)
	k.MOVQ(words, out)
	k.Label("four")
	k.CMPQ(groups, operand.U8(4))
	k.JL(operand.LabelRef("one"))
	p.four(column, out, to)
	k.ADDQ(operand.U32(128), column)
	k.LEAQ(operand.Mem{Base: out, Index: to.one, Scale: 4}, out)
	k.SUBQ(operand.U8(4), groups)
	k.JMP(operand.LabelRef("four"))
	k.Label("one")
	k.TESTQ(groups, groups)
	k.JZ(operand.LabelRef("next"))
	p.one(column, out)
	k.ADDQ(operand.U8(32), column)
	k.ADDQ(to.one, out)
	k.DECQ(groups)
	k.JMP(operand.LabelRef("one"))
	k.Label("next")
	k.ADDQ(apart, q)
	k.ADDQ(operand.U8(limbWordBytes), words)
	k.DECQ(left)
	k.JNZ(operand.LabelRef("columns"))
	p.end()
}

// columnPacker is what the parts of packColumns share.
type columnPacker struct {
	*rowKernel
	bias, places, most reg.VecVirtual
}

// four packs the factors of four groups in a column.
func (p *columnPacker) four(column, out reg.Register, to strides) {
	var half [2]reg.VecVirtual
	for h := range half {
		wide := p.ZMM()
		half[h] = p.YMM()
		p.VMOVUPD(operand.Mem{Base: column, Disp: 64 * h}, wide)
		p.VCVTTPD2DQ(wide, half[h])
	}
	v, size := p.ZMM(), p.ZMM()
	p.VINSERTI64X4(operand.U8(1), half[1], half[0].AsZ(), v)
	p.VPABSD(v, size)
	p.VPMAXUD(size, p.most, p.most)
	p.VPADDD(p.bias, v, v)
	p.VPXORD(p.bias, v, v)
	p.VPSHUFB(p.places, v, v)
	p.VMOVDQU32(v.AsX(), operand.Mem{Base: out})
	for g := 1; g < 4; g++ {
		p.VEXTRACTI32X4(operand.U8(g), v, to.at(out, g, 0))
	}
}

// one packs the factors of one group in a column.
func (p *columnPacker) one(column, out reg.Register) {
	wide, v, size := p.YMM(), p.XMM(), p.ZMM()
	p.VMOVUPD(operand.Mem{Base: column}, wide)
	p.VCVTTPD2DQY(wide, v)
	p.VPABSD(v, size.AsX()) // clears what is above
	p.VPMAXUD(size, p.most, p.most)
	p.VPADDD(p.bias.AsX(), v, v)
	p.VPXORD(p.bias.AsX(), v, v)
	p.VPSHUFB(p.places.AsX(), v, v)
	p.VMOVDQU32(v, operand.Mem{Base: out})
}

// end returns the largest magnitude.
func (p *columnPacker) end() {
	upper := p.YMM()
	p.VEXTRACTI64X4(operand.U8(1), p.most, upper)
	p.VPMAXUD(upper, p.most.AsY(), upper)
	(&limbPacker{rowKernel: p.rowKernel, most: upper}).end()
}
