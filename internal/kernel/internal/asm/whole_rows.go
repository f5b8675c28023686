package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wholeRowsKernel writes a kernel of DotRows or SquareRows.
type wholeRowsKernel struct {
	*build.Context
	bytes, square bool
	x, m, end     reg.Register // end of the whole turns of a row, in bytes of x
	sum, other    reg.VecVirtual
	mask          reg.OpmaskVirtual
}

// wholeRows writes the kernels of DotRows and SquareRows: row after row, 32 entries a turn,
// multiplied in pairs to 32 bits. Pairs of bytes are added up in 32 bits, which the callers see to
// suffices, and pairs of 16 bits in 64.
func wholeRows(c *build.Context) {
	for _, bytes := range []bool{false, true} {
		for _, square := range []bool{false, true} {
			k := &wholeRowsKernel{Context: c, bytes: bytes, square: square}
			k.write()
		}
	}
	squareRowsByteVNNI(c)
	squareRowsShortFour(c)
	squareRowsByteFour(c)
}

// squareRowsByteVNNI writes the kernel of SquareRows for bytes where the processor adds products of
// bytes, 64 entries a turn: x² = x·(x-128) + 128·x. There the first factor has no sign and the
// second has one. The two sums go together in 32 bits, modulo 2^32, where the whole is not negative
// and, as the callers see to, below 2^32.
func squareRowsByteVNNI(c *build.Context) {
	k := &wholeRowsKernel{Context: c, bytes: true, square: true}
	c.Function("squareRowsByteVNNI")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *int64, x *uint8, rows, turns, left int, mask uint64)")
	dst, rows := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("rows"), c.GP64())
	k.x = c.Load(c.Param("x"), c.GP64())
	turns, left := c.Load(c.Param("turns"), c.GP64()), c.Load(c.Param("left"), c.GP64())
	bits := c.Load(c.Param("mask"), c.GP64())
	k.mask, k.sum, k.other = c.K(), c.ZMM(), c.ZMM()
	c.KMOVQ(bits, k.mask)
	half, ones, sum, small := c.GP32(), c.ZMM(), c.ZMM(), c.GP32()
	c.MOVL(operand.U32(0x80808080), half)
	sign := c.ZMM()
	c.VPBROADCASTD(half, sign)
	c.MOVL(operand.U32(0x01010101), small)
	c.VPBROADCASTD(small, ones)
	add := func(v reg.VecVirtual) {
		signed := c.ZMM()
		c.VPXORD(sign, v, signed)
		c.VPDPBUSD(signed, v, k.sum)
		c.VPDPBUSD(ones, v, sum)
	}
	k.eachRow(dst, rows, turns, left, wholeRowsSteps{
		start: func() {
			c.VPXORQ(k.sum, k.sum, k.sum)
			c.VPXORQ(sum, sum, sum)
		},
		turn: func() {
			v := c.ZMM()
			c.VMOVDQU8(operand.Mem{Base: k.x}, v)
			add(v)
			c.ADDQ(operand.Imm(64), k.x)
		},
		last: func() {
			v := c.ZMM()
			c.VMOVDQU8_Z(operand.Mem{Base: k.x}, k.mask, v)
			add(v)
			c.ADDQ(left, k.x)
		},
		total: func() {
			c.VPSLLD(operand.Imm(7), sum, sum)
			c.VPADDD(sum, k.sum, k.sum)
			k.total(dst)
		},
	})
}

// size is how many bytes an entry has.
func (k *wholeRowsKernel) size() int {
	if k.bytes {
		return 1
	}
	return 2
}

func (k *wholeRowsKernel) begin() {
	name, entry, m := "dotRows", "int16", "m *int16, "
	if k.square {
		name, m = "squareRows", ""
	}
	if k.bytes {
		name, entry = name+"Byte", "uint8"
	} else {
		name += "Short"
	}
	k.Function(name + "AVX512")
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(dst *int64, x *" + entry + ", " + m + "rows, turns, left int, mask uint32)")
}

// write writes the kernel: of rows of 32·turns+left entries. The last entries have a bit each in
// mask.
func (k *wholeRowsKernel) write() {
	k.begin()
	dst, rows := k.Load(k.Param("dst"), k.GP64()), k.Load(k.Param("rows"), k.GP64())
	k.x = k.Load(k.Param("x"), k.GP64())
	if k.m = nil; !k.square {
		k.m = k.Load(k.Param("m"), k.GP64())
	}
	turns, left := k.Load(k.Param("turns"), k.GP64()), k.Load(k.Param("left"), k.GP64())
	bits := k.Load(k.Param("mask"), k.GP32())
	k.mask = k.K()
	k.KMOVD(bits, k.mask)
	k.sum, k.other = k.ZMM(), k.ZMM()
	var at reg.Register
	k.eachRow(dst, rows, turns, left, wholeRowsSteps{
		start: func() {
			k.VPXORQ(k.sum, k.sum, k.sum)
			if !k.bytes {
				k.VPXORQ(k.other, k.other, k.other)
			}
			at = k.GP64()
			k.XORQ(at, at)
		},
		turn: func() {
			k.turn(at, false)
			k.ADDQ(operand.Imm(32), at)
		},
		last: func() {
			k.turn(at, true)
			k.ADDQ(left, at)
		},
		total: func() {
			k.LEAQ(operand.Mem{Base: k.x, Index: at, Scale: uint8(k.size())}, k.x)
			k.total(dst)
		},
	})
}

// wholeRowsSteps write what happens at the start of a row, at a whole turn, with the entries that
// are left, and at its end.
type wholeRowsSteps struct{ start, turn, last, total func() }

// eachRow writes the loop over rows of this many whole turns and this many entries left, and the
// return. Each row makes a number of dst.
func (k *wholeRowsKernel) eachRow(dst, rows, turns, left reg.Register, s wholeRowsSteps) {
	k.Label("row")
	s.start()
	i := k.GP64()
	k.MOVQ(turns, i)
	k.TESTQ(i, i)
	k.JZ(operand.LabelRef("last"))
	k.Label("turn")
	s.turn()
	k.DECQ(i)
	k.JNZ(operand.LabelRef("turn"))
	k.Label("last")
	k.TESTQ(left, left)
	k.JZ(operand.LabelRef("total"))
	s.last()
	k.Label("total")
	s.total()
	k.ADDQ(operand.Imm(8), dst)
	k.DECQ(rows)
	k.JNZ(operand.LabelRef("row"))
	k.VZEROUPPER()
	k.RET()
}

// turn adds the products of 32 entries, or of those of the mask.
func (k *wholeRowsKernel) turn(at reg.Register, last bool) {
	v := k.ZMM()
	x := operand.Mem{Base: k.x, Index: at, Scale: uint8(k.size())}
	switch {
	case k.bytes && last:
		k.VPMOVZXBW_Z(x, k.mask, v)
	case k.bytes:
		k.VPMOVZXBW(x, v)
	case last:
		k.VMOVDQU16_Z(x, k.mask, v)
	default:
		k.VMOVDQU16(x, v)
	}
	switch {
	case k.square:
		k.VPMADDWD(v, v, v)
	case last:
		m := k.ZMM()
		k.VMOVDQU16_Z(operand.Mem{Base: k.m, Index: at, Scale: 2}, k.mask, m)
		k.VPMADDWD(m, v, v)
	default:
		k.VPMADDWD(operand.Mem{Base: k.m, Index: at, Scale: 2}, v, v)
	}
	if k.bytes {
		k.VPADDD(v, k.sum, k.sum)
		return
	}
	k.widen(v, k.sum, k.other)
}

// widen adds the even and the odd numbers of 32 bits of v to sums of 64 bits. Squares have no sign: two of
// -32768 are 2^31.
func (k *wholeRowsKernel) widen(v, even, odd reg.VecVirtual) {
	low, right := k.ZMM(), k.VPSRAQ
	if k.square {
		right = k.VPSRLQ
	}
	k.VPSLLQ(operand.Imm(32), v, low)
	right(operand.Imm(32), low, low)
	k.VPADDQ(low, even, even)
	right(operand.Imm(32), v, v)
	k.VPADDQ(v, odd, odd)
}

// total stores the sum of a row.
func (k *wholeRowsKernel) total(dst reg.Register) {
	sum := k.ZMM()
	if k.bytes {
		k.VPXORQ(k.other, k.other, k.other)
		k.VPXORQ(sum, sum, sum)
		k.widen(k.sum, sum, k.other)
		k.VPADDQ(k.other, sum, sum)
	} else {
		k.VPADDQ(k.other, k.sum, sum)
	}
	high := k.YMM()
	k.VEXTRACTI64X4(operand.Imm(1), sum, high)
	k.VPADDQ(high, sum.AsY(), high)
	half := k.XMM()
	k.VEXTRACTI128(operand.Imm(1), high, half)
	k.VPADDQ(half, high.AsX(), half)
	swapped := k.XMM()
	k.VPSHUFD(operand.Imm(0x4e), half, swapped)
	k.VPADDQ(swapped, half, half)
	k.VMOVQ(half, operand.Mem{Base: dst})
}
