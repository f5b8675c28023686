package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 multiplies 64-bit numbers modulo 2^64 in one instruction (of AVX-512 DQ).
var avx512 = family{
	name:  "AVX512",
	lanes: 8,
	prepare: func(k *kernelState, c reg.Register) []reg.VecVirtual {
		wide := k.ZMM()
		k.VPBROADCASTQ(c, wide)
		return []reg.VecVirtual{wide}
	},
	block: func(k *kernelState, vectors int) {
		for v := range vectors {
			sum := k.ZMM()
			k.VMOVDQU64(k.sum(v), sum)
			for r := range k.rows {
				x := k.ZMM()
				k.VPMOVSXWQ(k.entry(r, v), x)
				k.VPMULLQ(k.coefficients[r][0], x, x)
				k.VPADDQ(x, sum, sum)
			}
			k.VMOVDQU64(sum, k.sum(v))
		}
	},
}

// avx2 multiplies only signed 32-bit numbers, to 64 bits. It splits c = high·2^32 + low,
// where low is a signed 32-bit number, so that c·x = low·x + high·x·2^32. Only the lower
// 32 bits of high count modulo 2^64, hence the upper half of c + 2^31, which may wrap, will
// do. The products with high are added up for all rows and shifted once.
var avx2 = family{
	name:  "AVX2",
	lanes: 4,
	prepare: func(k *kernelState, c reg.Register) []reg.VecVirtual {
		low, high, narrow, rounded := k.YMM(), k.YMM(), k.XMM(), k.GP64()
		k.VMOVQ(c, narrow)
		k.VPBROADCASTQ(narrow, low)
		k.MOVQ(operand.Imm(1<<31), rounded)
		k.ADDQ(c, rounded)
		k.SHRQ(operand.Imm(32), rounded)
		k.VMOVQ(rounded, narrow)
		k.VPBROADCASTQ(narrow, high)
		return []reg.VecVirtual{low, high}
	},
	block: func(k *kernelState, vectors int) {
		for v := range vectors {
			sum, upper := k.YMM(), k.YMM()
			k.VMOVDQU(k.sum(v), sum)
			for r, c := range k.coefficients {
				x, product := k.YMM(), k.YMM()
				k.VPMOVSXWQ(k.entry(r, v), x)
				k.VPMULDQ(c[0], x, product)
				k.VPADDQ(product, sum, sum)
				if r == 0 {
					k.VPMULDQ(c[1], x, upper)
					continue
				}
				k.VPMULDQ(c[1], x, x)
				k.VPADDQ(x, upper, upper)
			}
			k.VPSLLQ(operand.Imm(32), upper, upper)
			k.VPADDQ(upper, sum, sum)
			k.VMOVDQU(sum, k.sum(v))
		}
	},
}
