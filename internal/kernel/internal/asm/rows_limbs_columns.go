package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packColumns writes the kernel that splits the factors of bytes into limbs where those of a column
// stand together. The factors of a group of four rows fill a quarter of a register then, whose
// bytes it transposes. It takes four groups at a time, then one. It returns the largest magnitude;
// what does not fit 32 bits counts as 2^31.
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

// packShortColumns writes the kernel that splits the factors of 16-bit rows into two limbs, for
// factors stored column by column. It processes four groups of two rows at a time, and writes two
// of a group's four words.
func packShortColumns(c *build.Context) {
	k := &rowKernel{Context: c, set: rowSet{"AVX512", 64, true}}
	k.begin("packShortColumns", "words *uint32, q *float64, fours, columns, apart, bits int")
	words, q, left := k.argument("words"), k.argument("q"), k.argument("columns")
	distance, apart := k.argument("columns"), k.argument("apart")
	k.SHLQ(operand.U8(4), distance)
	p := &shortPacker{rowKernel: k, to: k.stridesOf(distance, 4), half: k.YMM(), all: k.YMM(), bits: k.XMM()}
	p.constants()
	k.Label("columns")
	column, out, fours := k.GP64(), k.GP64(), k.argument("fours")
	k.MOVQ(q, column)
	k.MOVQ(words, out)
	k.Label("fours")
	p.four(column, out)
	k.ADDQ(operand.U8(64), column)
	k.LEAQ(operand.Mem{Base: out, Index: p.to.one, Scale: 4}, out)
	k.DECQ(fours)
	k.JNZ(operand.LabelRef("fours"))
	k.ADDQ(apart, q)
	k.ADDQ(operand.U8(limbWordBytes), words)
	k.DECQ(left)
	k.JNZ(operand.LabelRef("columns"))
	k.end()
}

// shortPacker is what the parts of packShortColumns share.
type shortPacker struct {
	*rowKernel
	to              strides
	half, all, bits reg.VecVirtual // 2^(bits-1), 2^bits - 1, and bits
}

// constants makes them.
func (p *shortPacker) constants() {
	p.VMOVD(p.place("bits"), p.bits)
	p.VPTERNLOGD(operand.U8(0xff), p.all, p.all, p.all)
	p.VPSLLD(p.bits, p.all, p.all)
	p.VPTERNLOGD(operand.U8(0x0f), p.all, p.all, p.all) // its complement
	p.VPSRLD(operand.U8(1), p.all, p.half)
	p.VPSUBD(p.half, p.all, p.half)
}

// four packs the factors of four groups in a column.
func (p *shortPacker) four(column, out reg.Register) {
	wide, high, low := p.ZMM(), p.YMM(), p.YMM()
	p.VMOVUPD(operand.Mem{Base: column}, wide)
	p.VCVTTPD2DQ(wide, high)
	p.VPADDD(p.half, high, high)
	p.VPANDD(p.all, high, low)
	p.VPSUBD(p.half, low, low)
	p.VPSRAD(p.bits, high, high)
	p.VPMOVDW(low, low.AsX())
	p.VPMOVDW(high, high.AsX())
	for h, interleave := range []func(ops ...operand.Op){p.VPUNPCKLDQ, p.VPUNPCKHDQ} {
		v := p.XMM()
		interleave(high.AsX(), low.AsX(), v)
		p.VMOVLPS(v, p.to.at(out, 2*h, 0))
		p.VMOVHPS(v, p.to.at(out, 2*h+1, 0))
	}
}
