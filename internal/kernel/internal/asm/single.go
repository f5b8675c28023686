package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// singles writes the kernels of MoveWhole, SingleWhole and LargestShort.
func singles(c *build.Context) {
	moveWhole(c)
	singleWhole(c)
	largestShort(c)
}

// squares are two vectors of sums of squares in float64.
type squares struct {
	*build.Context
	sums [2]reg.VecVirtual
}

func newSquares(c *build.Context) squares {
	s := squares{c, [2]reg.VecVirtual{c.ZMM(), c.ZMM()}}
	for _, v := range s.sums {
		c.VPXORQ(v, v, v)
	}
	return s
}

// add adds the squares of eight numbers to a sum.
func (s squares) add(half int, singles reg.VecVirtual) {
	wide := s.ZMM()
	s.VCVTPS2PD(singles, wide)
	s.VFMADD231PD(wide, wide, s.sums[half])
}

// store writes the sums to the sixteen lanes.
func (s squares) store() {
	lanes := s.Load(s.Param("lanes"), s.GP64())
	for half, v := range s.sums {
		s.VMOVUPD(v, operand.Mem{Base: lanes, Disp: 64 * half})
	}
	s.VZEROUPPER()
	s.RET()
}

// moveWhole takes a number of groups of 16 entries, and the entries of one group more that a mask
// has. The mask has one, or there is a group before.
func moveWhole(c *build.Context) {
	c.Function("moveWholeAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *float32, x *int16, center *float32, groups int, scale float32, mask uint64, lanes *[16]float64)")
	m := mover{squares: newSquares(c), v: c.ZMM(), high: c.YMM(), scale: c.ZMM(), mask: c.K()}
	m.dst, m.x, m.center = c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("x"), c.GP64()), c.Load(c.Param("center"), c.GP64())
	groups, rest := c.Load(c.Param("groups"), c.GP64()), c.Load(c.Param("mask"), c.GP64())
	at, err := c.Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	c.VBROADCASTSS(at.Addr, m.scale)
	c.TESTQ(groups, groups)
	c.JZ(operand.LabelRef("rest"))
	c.Label("turn")
	m.move(false)
	c.ADDQ(operand.Imm(32), m.x)
	c.ADDQ(operand.Imm(64), m.center)
	c.ADDQ(operand.Imm(64), m.dst)
	c.DECQ(groups)
	c.JNZ(operand.LabelRef("turn"))
	c.Label("rest")
	c.TESTQ(rest, rest)
	c.JZ(operand.LabelRef("end"))
	c.KMOVW(rest.(reg.GPVirtual).As32(), m.mask)
	m.move(true)
	c.Label("end")
	m.store()
}

// mover moves a group of entries.
type mover struct {
	squares
	dst, x, center reg.Register
	v, scale       reg.VecVirtual
	high           reg.VecVirtual
	mask           reg.Register // of the last group
}

// move processes one group. Of the last group it processes only the masked entries. The squares of
// other entries are 0, even if scale is not finite.
func (m mover) move(last bool) {
	x, center, dst := operand.Mem{Base: m.x}, operand.Mem{Base: m.center}, operand.Mem{Base: m.dst}
	if last {
		m.VPMOVSXWD_Z(x, m.mask, m.v)
		m.VCVTDQ2PS(m.v, m.v)
		m.VMULPS_Z(m.scale, m.v, m.mask, m.v)
		m.VSUBPS_Z(center, m.v, m.mask, m.v)
		m.VMOVUPS(m.v, m.mask, dst)
	} else {
		m.VPMOVSXWD(x, m.v)
		m.VCVTDQ2PS(m.v, m.v)
		m.VMULPS(m.scale, m.v, m.v)
		m.VSUBPS(center, m.v, m.v)
		m.VMOVUPS(m.v, dst)
	}
	m.VEXTRACTF32X8(operand.Imm(1), m.v, m.high)
	m.add(0, m.v.AsY().(reg.VecVirtual))
	m.add(1, m.high)
}

// singleWhole takes a positive multiple of 16 entries.
func singleWhole(c *build.Context) {
	c.Function("singleWholeAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *float32, x *int64, n int, lanes *[16]float64)")
	dst, x, n := c.Load(c.Param("dst"), c.GP64()), c.Load(c.Param("x"), c.GP64()), c.Load(c.Param("n"), c.GP64())
	s, v := newSquares(c), c.YMM()
	c.Label("turn")
	for half := range 2 {
		c.VCVTQQ2PS(operand.Mem{Base: x, Disp: 64 * half}, v)
		c.VMOVUPS(v, operand.Mem{Base: dst, Disp: 32 * half})
		s.add(half, v)
	}
	c.ADDQ(operand.Imm(128), x)
	c.ADDQ(operand.Imm(64), dst)
	c.SUBQ(operand.Imm(16), n)
	c.JNZ(operand.LabelRef("turn"))
	s.store()
}

// largestShort takes a positive multiple of 32 entries.
func largestShort(c *build.Context) {
	c.Function("largestShortAVX512")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(x *int16, n int) (largest uint32)")
	x, n := c.Load(c.Param("x"), c.GP64()), c.Load(c.Param("n"), c.GP64())
	most, v := c.ZMM(), c.ZMM()
	c.VPXORQ(most, most, most)
	c.Label("turn")
	c.VPABSW(operand.Mem{Base: x}, v)
	c.VPMAXUW(v, most, most) // the magnitude of -32768 is 32768 without a sign
	c.ADDQ(operand.Imm(64), x)
	c.SUBQ(operand.Imm(32), n)
	c.JNZ(operand.LabelRef("turn"))
	half, quarter, ones := c.YMM(), c.XMM(), c.XMM()
	c.VEXTRACTI64X4(operand.Imm(1), most, half)
	c.VPMAXUW(half, most.AsY(), half)
	c.VEXTRACTI128(operand.Imm(1), half, quarter)
	c.VPMAXUW(quarter, half.AsX(), quarter)
	c.VPCMPEQD(ones, ones, ones)
	c.VPXOR(ones, quarter, quarter)
	c.VPHMINPOSUW(quarter, quarter) // the least complement is that of the largest
	c.VPXOR(ones, quarter, quarter)
	largest := c.GP32()
	c.VMOVD(quarter, largest)
	c.MOVWLZX(largest.As16(), largest)
	c.Store(largest, c.ReturnIndex(0))
	c.VZEROUPPER()
	c.RET()
}
