package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chunk is the number of entries that are processed together. For margins it is 16, the number of
// partial sums. For sums it is a full register of the wider set. It is at least 8, the entries in a
// byte of bits.
func (k *rowKernel) chunk() int {
	switch {
	case k.double:
		return 8
	case k.set.masks || k.margin:
		return 16
	}
	return 8
}

// width is how many numbers a register holds.
func (k *rowKernel) width() int {
	if k.double {
		return k.set.bytes / 8
	}
	return k.set.bytes / 4
}

// halves is how many registers a chunk fills.
func (k *rowKernel) halves() int { return k.chunk() / k.width() }

// load returns a register with the entries at an address, converted. With tail set only
// those of the tail are read, and the others are zero.
func (k *rowKernel) load(m operand.Mem, tail bool) reg.Register {
	v := k.vector()
	switch {
	case k.entry == rowSingle:
		k.loadSingles(m, v, tail)
		return v
	case !k.double:
		k.widen(m, v, tail)
		k.VCVTDQ2PS(v, v)
	case k.set.masks:
		k.widen(m, v.AsY(), tail)
		k.VCVTDQ2PD(v.AsY(), v)
	default:
		k.widen(m, v.AsX(), tail)
		k.VCVTDQ2PD(v.AsX(), v)
	}
	return v
}

// loadSingles loads numbers that need no conversion.
func (k *rowKernel) loadSingles(m operand.Mem, v reg.Register, tail bool) {
	if tail {
		k.VMOVUPS_Z(m, k.tail, v)
	} else {
		k.VMOVUPS(m, v)
	}
}

// widen loads integers as 32-bit integers.
func (k *rowKernel) widen(m operand.Mem, v reg.Register, tail bool) {
	switch {
	case k.entry == rowShort && tail:
		k.VPMOVSXWD_Z(m, k.tail, v)
	case k.entry == rowShort:
		k.VPMOVSXWD(m, v)
	case tail:
		k.VPMOVZXBD_Z(m, k.tail, v)
	default:
		k.VPMOVZXBD(m, v)
	}
}

// addWhereSet adds v to sum where selected, one of what selectBits returned, says so.
func (k *rowKernel) addWhereSet(selected reg.Register, v operand.Op, sum reg.Register) {
	if k.set.masks {
		if k.double {
			k.VADDPD(v, sum, selected, sum)
		} else {
			k.VADDPS(v, sum, selected, sum)
		}
		return
	}
	some := k.vector()
	k.VPAND(v, selected, some)
	if k.double {
		k.VADDPD(some, sum, sum)
	} else {
		k.VADDPS(some, sum, sum)
	}
}

// selectBits returns for each half of a chunk of bits what selects the numbers whose bit
// is set: a mask, or a register of all ones and all zeros.
func (k *rowKernel) selectBits(m operand.Mem, tail bool) []reg.Register {
	if k.set.masks {
		mask := k.K()
		if k.chunk() == 16 {
			k.KMOVW(m, mask)
		} else {
			k.KMOVB(m, mask)
		}
		if tail {
			k.KANDW(k.tail, mask, mask)
		}
		return []reg.Register{mask}
	}
	bits := k.vector()
	if k.chunk() == 16 {
		k.VPBROADCASTW(m, bits)
	} else {
		k.VPBROADCASTB(m, bits)
	}
	var selected []reg.Register
	for _, place := range k.places {
		v := k.vector()
		k.VPAND(place, bits, v)
		if k.double {
			k.VPCMPEQQ(place, v, v)
		} else {
			k.VPCMPEQD(place, v, v)
		}
		selected = append(selected, v)
	}
	return selected
}

// bitTables writes, for rows of bits without masks, the tables of the bit of each entry of
// a chunk: sixteen in 32 bits and eight in 64 bits.
func bitTables(c *build.Context) {
	c.StaticGlobal("rowBits32")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for l := range 16 {
		c.AddDatum(4*l, operand.U32(1<<l))
	}
	c.StaticGlobal("rowBits64")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for l := range 8 {
		c.AddDatum(8*l, operand.U64(1<<l))
	}
}

// loadPlaces loads the table that suits the chunk.
func (k *rowKernel) loadPlaces() {
	name := "rowBits32"
	if k.double {
		name = "rowBits64"
	}
	for h := range k.halves() {
		v := k.vector()
		k.VMOVUPS(operand.NewDataAddr(operand.NewStaticSymbol(name), h*k.set.bytes), v)
		k.places = append(k.places, v)
	}
}

// halfAhead reports whether margins ask for every second row of the memory ahead, and sums
// for the others, which spreads the reading over both. The product of float32 entries with
// one column reads no faster for it; there and for bits the sums ask for all.
func (k *rowKernel) halfAhead(columns int) bool {
	return k.set.masks && (k.entry.bytes == 1 || k.entry.bytes == 2 || k.entry.bytes == 4 && columns > 1)
}
