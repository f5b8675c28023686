package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wholeProductKernel writes one kernel of AddProductWhole. Its tile of sums has rows × vectors registers of
// 32 bits.
type wholeProductKernel struct {
	*build.Context
	wide          bool // AVX-512 with VNNI, else AVX2
	rows, vectors int
	dst, stride   reg.Register
	sums          [][]reg.VecVirtual
	low, high     reg.OpmaskVirtual // lanes of the last vector that dst has, with AVX-512
}

// wholeProduct writes the kernels of AddProductWhole.
func wholeProduct(c *build.Context) {
	for _, rows := range []int{12, 8, 4} {
		for vectors := 2; vectors > 0; vectors-- {
			k := wholeProductKernel{Context: c, wide: true, rows: rows, vectors: vectors}
			k.write()
		}
	}
	k := wholeProductKernel{Context: c, rows: 6, vectors: 2}
	k.write()
	for vectors := 2; vectors > 0; vectors-- {
		wholePairsWide(c, vectors)
	}
	wholePairs(c)
}

// write writes the kernel: tiles of pairs of entries of A, a vector at a time, and of B, one at a time. With
// AVX-512 it stores the rows that there are and the lanes of the mask, else all of them.
func (k *wholeProductKernel) write() {
	set, arguments := "AVX2", ""
	if k.wide {
		set, arguments = "VNNI", ", rows int, mask uint32"
	}
	k.Function(fmt.Sprintf("wholeTile%dx%d%s", k.rows, k.vectors, set))
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(dst *int64, stride int, a, b *uint32, pairs int" + arguments + ")")
	k.dst, k.stride = k.Load(k.Param("dst"), k.GP64()), k.Load(k.Param("stride"), k.GP64())
	k.fetch()
	k.clear()
	k.pairs()
	k.update()
	k.VZEROUPPER()
	k.RET()
}

// fetch asks for what the sums will be added to.
func (k *wholeProductKernel) fetch() {
	at := k.GP64()
	k.MOVQ(k.dst, at)
	for row := range k.rows {
		for line := 0; line < 2*k.vectors*k.bytes(); line += 64 {
			k.PREFETCHT0(operand.Mem{Base: at, Disp: line})
		}
		if row < k.rows-1 {
			k.ADDQ(k.stride, at)
		}
	}
}

// clear sets the sums to 0.
func (k *wholeProductKernel) clear() {
	k.sums = make([][]reg.VecVirtual, k.rows)
	for row := range k.sums {
		for range k.vectors {
			s := k.vec()
			k.sums[row] = append(k.sums[row], s)
			if k.wide {
				k.VPXORD(s, s, s)
			} else {
				k.VPXOR(s, s, s)
			}
		}
	}
}

// pairs writes the loop: each sum adds both products of a pair of rows, modulo 2^32.
func (k *wholeProductKernel) pairs() {
	a, b, left := k.Load(k.Param("a"), k.GP64()), k.Load(k.Param("b"), k.GP64()), k.Load(k.Param("pairs"), k.GP64())
	k.Label("pair")
	columns := make([]reg.VecVirtual, k.vectors)
	for v := range columns {
		columns[v] = k.vec()
		if k.wide {
			k.VMOVDQU32(operand.Mem{Base: a, Disp: v * k.bytes()}, columns[v])
		} else {
			k.VMOVDQU(operand.Mem{Base: a, Disp: v * k.bytes()}, columns[v])
		}
	}
	for row, sums := range k.sums {
		entry := k.vec()
		k.VPBROADCASTD(operand.Mem{Base: b, Disp: 4 * row}, entry)
		for v, c := range columns {
			if k.wide {
				k.VPDPWSSD(c, entry, sums[v])
				continue
			}
			products := entry
			if v < len(columns)-1 {
				products = k.vec()
			}
			k.VPMADDWD(c, entry, products)
			k.VPADDD(products, sums[v], sums[v])
		}
	}
	k.ADDQ(operand.Imm(uint64(k.vectors*k.bytes())), a)
	k.ADDQ(operand.Imm(uint64(4*k.rows)), b)
	k.DECQ(left)
	k.JNZ(operand.LabelRef("pair"))
}

// update adds the sums, widened to 64 bits, to dst.
func (k *wholeProductKernel) update() {
	var rows reg.Register
	if k.wide {
		rows = k.Load(k.Param("rows"), k.GP64())
		bits := k.Load(k.Param("mask"), k.GP32())
		k.low, k.high = k.K(), k.K()
		k.KMOVW(bits, k.low)
		k.SHRL(operand.Imm(8), bits)
		k.KMOVW(bits, k.high)
	}
	for row, sums := range k.sums {
		for v, sum := range sums {
			k.add(sum, v)
		}
		if row == k.rows-1 {
			break
		}
		if k.wide {
			k.DECQ(rows)
			k.JZ(operand.LabelRef("updated"))
		}
		k.ADDQ(k.stride, k.dst)
	}
	k.Label("updated")
}

// add adds one vector of sums to a row of dst.
func (k *wholeProductKernel) add(sum reg.VecVirtual, v int) {
	at := operand.Mem{Base: k.dst, Disp: 2 * v * k.bytes()}
	behind := operand.Mem{Base: k.dst, Disp: (2*v + 1) * k.bytes()}
	if !k.wide {
		half, wide := k.XMM(), k.YMM()
		k.VPMOVSXDQ(sum.AsX(), wide)
		k.VPADDQ(at, wide, wide)
		k.VMOVDQU(wide, at)
		k.VEXTRACTI128(operand.Imm(1), sum, half)
		k.VPMOVSXDQ(half, wide)
		k.VPADDQ(behind, wide, wide)
		k.VMOVDQU(wide, behind)
		return
	}
	half, low, high := k.YMM(), k.ZMM(), k.ZMM()
	k.VPMOVSXDQ(sum.AsY(), low)
	k.VEXTRACTI64X4(operand.Imm(1), sum, half)
	k.VPMOVSXDQ(half, high)
	if v < k.vectors-1 {
		k.VPADDQ(at, low, low)
		k.VMOVDQU64(low, at)
		k.VPADDQ(behind, high, high)
		k.VMOVDQU64(high, behind)
		return
	}
	k.VPADDQ_Z(at, low, k.low, low)
	k.VMOVDQU64(low, k.low, at)
	k.VPADDQ_Z(behind, high, k.high, high)
	k.VMOVDQU64(high, k.high, behind)
}

func (k *wholeProductKernel) vec() reg.VecVirtual {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}

// bytes is the size of a vector.
func (k *wholeProductKernel) bytes() int {
	if k.wide {
		return 64
	}
	return 32
}
