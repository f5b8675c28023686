package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowEntry is a type of the entries of rows. Bits have no bytes of their own.
type rowEntry struct {
	name    string
	pointer string // to entries, or to a word of them
	bytes   int
}

var (
	rowSingle = rowEntry{"Single", "*float32", 4}
	rowShort  = rowEntry{"Short", "*int16", 2}
	rowByte   = rowEntry{"Byte", "*uint8", 1}
	rowBit    = rowEntry{"Bit", "*uint64", 0}
)

// offset is how many bytes of a row this many entries take, a multiple of 8 for bits.
func (e rowEntry) offset(entries int) int {
	if e == rowBit {
		return entries / 8
	}
	return entries * e.bytes
}

// rowSet is a set of vector instructions for kernels of rows.
type rowSet struct {
	name  string
	bytes int  // of a register
	masks bool // whether loads, stores and sums take masks
}

var rowSets = []rowSet{{"AVX512", 64, true}, {"AVX2", 32, false}}

// rowKernel is what the parts of a kernel of rows share.
type rowKernel struct {
	*build.Context
	set    rowSet
	entry  rowEntry
	double bool           // whether the sums are float64
	margin bool           // whether the sums are those of a margin
	labels int            // given away
	tail   reg.Register   // the mask of the last entries of a row, where there are masks
	places []reg.Register // where there are none: the bit of each entry, for rows of bits
}

// rows writes the kernels of rows.go.
func rows(c *build.Context) {
	bitTables(c)
	maskTable(c)
	for _, set := range rowSets {
		(&rowKernel{Context: c, set: set, entry: rowSingle, margin: true}).byMargin()
		for _, entry := range []rowEntry{rowSingle, rowShort, rowByte, rowBit} {
			(&rowKernel{Context: c, set: set, entry: entry, margin: true}).margins()
			if entry != rowBit {
				(&rowKernel{Context: c, set: set, entry: entry}).sums("addScaledRows")
			}
			if entry != rowSingle {
				(&rowKernel{Context: c, set: set, entry: entry, double: true}).sums("addWhole")
			}
		}
	}
	limbTables(c)
	packLimbs(c)
	packColumns(c)
	packShortColumns(c)
	for _, shape := range limbShapes {
		(&rowKernel{Context: c, set: rowSet{"VNNI", 64, true}, entry: shape.of, double: true}).limbKernel(shape)
	}
	productTables(c)
	for _, set := range []rowSet{{"VNNI", 64, true}, {"AVX2", 32, false}} {
		for _, entry := range []rowEntry{rowByte, rowShort} {
			(&rowKernel{Context: c, set: set, entry: entry}).products(false)
			if set.masks {
				(&rowKernel{Context: c, set: set, entry: entry}).products(true)
				(&rowKernel{Context: c, set: set, entry: entry}).panelProducts()
			}
		}
	}
	flushWhole(c)
	largestWhole(c)
	for _, set := range rowSets {
		readSingles(c, set)
	}
}

// begin starts a function that takes one call of arguments.
func (k *rowKernel) begin(name, arguments string) {
	k.Function(name + k.entry.name + k.set.name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(" + arguments + ")")
}

// end returns from the function.
func (k *rowKernel) end() {
	k.VZEROUPPER()
	k.RET()
}

// label returns a name that no other label of the function has.
func (k *rowKernel) label(name string) string {
	k.labels++
	return fmt.Sprint(name, k.labels)
}

// vector returns a new register of the set.
func (k *rowKernel) vector() reg.VecVirtual {
	if k.set.masks {
		return k.ZMM()
	}
	return k.YMM()
}

// argument loads an argument.
func (k *rowKernel) argument(name string) reg.Register {
	return k.Load(k.Param(name), k.GP64())
}

// place is the address of an argument.
func (k *rowKernel) place(name string) operand.Mem {
	basic, err := k.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// keep stores an argument in a place on the stack, for values that change between tiles.
func (k *rowKernel) keep(name string) operand.Mem {
	place := k.AllocLocal(8)
	k.MOVQ(k.argument(name), place)
	return place
}

// fetch loads what is kept.
func (k *rowKernel) fetch(place operand.Mem) reg.GPVirtual {
	r := k.GP64()
	k.MOVQ(place, r)
	return r
}

// strides multiply a distance by 0, 1, 2 and 3 in an address.
type strides struct{ one, three reg.Register }

// stridesOf prepares the strides that count neighbors need.
func (k *rowKernel) stridesOf(one reg.Register, count int) strides {
	s := strides{one: one}
	if count > 3 {
		s.three = k.GP64()
		k.LEAQ(operand.Mem{Base: one, Index: one, Scale: 2}, s.three)
	}
	return s
}

// at is the address of neighbor number i, this many bytes after base.
func (s strides) at(base reg.Register, i, bytes int) operand.Mem {
	m := operand.Mem{Base: base, Disp: bytes}
	switch i {
	case 1, 2:
		m.Index, m.Scale = s.one, uint8(i)
	case 3:
		m.Index, m.Scale = s.three, 1
	}
	return m
}

// loadTail makes the mask of the tail, or where there are no masks, the places of bits.
func (k *rowKernel) loadTail() {
	if k.set.masks {
		k.tail = k.K()
		k.KMOVQ(k.argument("mask"), k.tail)
	} else if k.entry == rowBit {
		k.loadPlaces()
	}
}
