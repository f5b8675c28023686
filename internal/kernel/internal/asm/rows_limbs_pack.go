package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packLimbs writes the kernel that splits factors into limbs. From each group of four rows it loads
// eight columns at a time and converts them to integers of 32 bits. It then interleaves the four
// rows and transposes their bytes. It returns the largest magnitude; a factor that does not fit 32
// bits counts as 2^31.
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
