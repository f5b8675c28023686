package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turnedRows is how many rows the kernel of Turn.Squares takes: as many sums as registers leave room for.
const turnedRows = 24

// turnedSquares multiplies one panel of sixteen rows of the matrix with turnedRows rows, which are
// this many bytes apart. It adds the squares to sixteen lanes of each row. It writes the products
// of each row at the same distances.
func turnedSquares(c *build.Context) {
	c.Function("turnedSquaresVNNI")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(lanes *float64, products *int32, apart int, rows, panel *int16, pairs, stride int, center, factors *float64, scale float64)")
	panel, pairs := c.Load(c.Param("panel"), c.GP64()), c.Load(c.Param("pairs"), c.GP64())
	at := newEightfold(c)
	sums := make([]reg.VecVirtual, turnedRows)
	for i := range sums {
		sums[i] = c.ZMM()
		c.VPXORD(sums[i], sums[i], sums[i])
	}
	numbers := c.ZMM()
	c.Label("pairs")
	c.VMOVDQU32(operand.Mem{Base: panel}, numbers)
	for i, sum := range sums {
		c.VPDPWSSD_BCST(at.row(i), numbers, sum)
	}
	for _, base := range at.bases {
		c.ADDQ(operand.Imm(4), base)
	}
	c.ADDQ(operand.Imm(64), panel)
	c.DECQ(pairs)
	c.JNZ(operand.LabelRef("pairs"))
	squareTurned(c, sums, numbers)
	c.VZEROUPPER()
	c.RET()
}

// eightfold is where rows stand; eight rows have a base in common.
type eightfold struct {
	bases                      []reg.Register
	stride, three, five, seven reg.Register
}

func newEightfold(c *build.Context) eightfold {
	e := eightfold{stride: c.Load(c.Param("stride"), c.GP64()), three: c.GP64(), five: c.GP64(), seven: c.GP64()}
	c.LEAQ(operand.Mem{Base: e.stride, Index: e.stride, Scale: 2}, e.three)
	c.LEAQ(operand.Mem{Base: e.stride, Index: e.stride, Scale: 4}, e.five)
	c.LEAQ(operand.Mem{Base: e.five, Index: e.stride, Scale: 2}, e.seven)
	e.bases = append(e.bases, c.Load(c.Param("rows"), c.GP64()))
	for i := 8; i < turnedRows; i += 8 {
		next := c.GP64()
		c.LEAQ(operand.Mem{Base: e.bases[i/8-1], Index: e.stride, Scale: 8}, next)
		e.bases = append(e.bases, next)
	}
	return e
}

// row is where row i stands.
func (e eightfold) row(i int) operand.Mem {
	m := operand.Mem{Base: e.bases[i/8]}
	switch i % 8 {
	case 1, 2, 4:
		m.Index, m.Scale = e.stride, uint8(i%8)
	case 3, 6:
		m.Index, m.Scale = e.three, uint8(i%8/3)
	case 5:
		m.Index, m.Scale = e.five, 1
	case 7:
		m.Index, m.Scale = e.seven, 1
	}
	return m
}

// squareTurned adds the squares of what is left of the products, which scratch may be lost for, to the lanes.
func squareTurned(c *build.Context, sums []reg.VecVirtual, scratch reg.VecVirtual) {
	lanes, factors := c.Load(c.Param("lanes"), c.GP64()), c.Load(c.Param("factors"), c.GP64())
	center, scale := c.Load(c.Param("center"), c.GP64()), c.ZMM()
	at, err := c.Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	c.VBROADCASTSD(at.Addr, scale)
	centers := [2]reg.VecVirtual{c.ZMM(), c.ZMM()}
	for h, v := range centers {
		c.VMOVUPD(operand.Mem{Base: center, Disp: 64 * h}, v)
	}
	products, apart := c.Load(c.Param("products"), c.GP64()), c.Load(c.Param("apart"), c.GP64())
	factor, y, lane := c.ZMM(), c.ZMM(), c.ZMM()
	for i, sum := range sums {
		c.VMOVDQU32(sum, operand.Mem{Base: products})
		c.ADDQ(apart, products)
		c.VBROADCASTSD(operand.Mem{Base: factors, Disp: 8 * i}, factor)
		for h := range 2 {
			if h == 0 {
				c.VCVTDQ2PD(sum.AsY(), y)
			} else {
				c.VEXTRACTI64X4(operand.Imm(1), sum, scratch.AsY())
				c.VCVTDQ2PD(scratch.AsY(), y)
			}
			c.VMULPD(scale, y, y)
			c.VFNMADD231PD(centers[h], factor, y)
			c.VMOVUPD(operand.Mem{Base: lanes, Disp: 128*i + 64*h}, lane)
			c.VFMADD231PD(y, y, lane)
			c.VMOVUPD(lane, operand.Mem{Base: lanes, Disp: 128*i + 64*h})
		}
	}
}
