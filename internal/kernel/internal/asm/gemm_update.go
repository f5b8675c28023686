package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// update writes the sums to C, and leaves c below them. With rows it stops after as many.
func (k *gemmKernel) update(c, rows reg.Register) {
	cRow, alpha := k.field(tileCRow), k.vec()
	k.ops(k.VBROADCASTSS, k.VBROADCASTSD)(k.at(tileAlpha), alpha)
	for _, partial := range []bool{false, true} {
		if partial && k.wide {
			break
		}
		if !k.wide && !partial {
			k.CMPQ(k.at(tilePartial), operand.Imm(0))
			k.JNE(operand.LabelRef("partial"))
		}
		suffix := ""
		if partial {
			k.Label("partial")
			suffix = "Partial"
		}
		k.CMPQ(k.at(tileAdd), operand.Imm(0))
		k.JNE(operand.LabelRef("add" + suffix))
		k.updateRows(c, cRow, alpha, rows, partial, false)
		k.JMP(operand.LabelRef("updated"))
		k.Label("add" + suffix)
		k.updateRows(c, cRow, alpha, rows, partial, true)
		if !partial && !k.wide {
			k.JMP(operand.LabelRef("updated"))
		}
	}
	k.Label("updated")
}

// updateRows writes alpha times the sums, or adds it.
func (k *gemmKernel) updateRows(c, cRow reg.Register, alpha reg.VecVirtual, rows reg.Register, partial, add bool) {
	var window reg.VecVirtual
	if partial {
		at := k.field(tileWindow)
		window = k.vec()
		k.VMOVDQU(operand.Mem{Base: at}, window)
	}
	for row, sums := range k.sums {
		for v, sum := range sums {
			to := operand.Mem{Base: c, Disp: v * k.bytes()}
			last := v == k.vectors-1
			if !add {
				k.ops(k.VMULPS, k.VMULPD)(alpha, sum, sum)
			} else {
				before := k.vec()
				switch {
				case last && k.wide:
					k.op(k.VMOVUPS_Z, k.VMOVUPD_Z)(to, k.last, before)
				case last && partial:
					k.op(k.VMASKMOVPS, k.VMASKMOVPD)(to, window, before)
				default:
					k.ops(k.VMOVUPS, k.VMOVUPD)(to, before)
				}
				k.ops(k.VFMADD213PS, k.VFMADD213PD)(before, alpha, sum)
			}
			switch {
			case last && k.wide:
				k.ops(k.VMOVUPS, k.VMOVUPD)(sum, k.last, to)
			case last && partial:
				k.op(k.VMASKMOVPS, k.VMASKMOVPD)(sum, window, to)
			default:
				k.ops(k.VMOVUPS, k.VMOVUPD)(sum, to)
			}
		}
		k.ADDQ(cRow, c)
		if rows != nil && row < edgeRows-1 {
			k.CMPQ(rows, operand.Imm(uint64(row+1)))
			k.JLE(operand.LabelRef("updated"))
		}
	}
}
