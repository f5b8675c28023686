package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The places of the fields of gemmTile of package kernel.
const (
	tileA       = 8 * iota // the first row of A
	tileB                  // the first row of B
	tileC                  // the first row of C
	tileARow               // bytes from a row of A to the next
	tileADepth             // bytes from an entry of a row of A to the next
	tileBDepth             // bytes from a row of B to the next
	tileCRow               // bytes from a row of C to the next
	tileDepth              // entries of a row of A, positive
	tileRows               // tiles one below the other (whole kernels) or rows (edge kernels), positive
	tileAdd                // 0: C is written; else: added to
	tileAlpha              // the factor of the product
	tileMask               // the lanes of the last vector that C has, a bit each
	tileWindow             // the same lanes, as a vector of 256 bits
	tilePartial            // 0: C has all lanes
	tileAhead              // from A to what is fetched ahead, in bytes (whole kernels), or from B (edge kernels)
	tileStep               // how far this moves with each entry of a row of A (whole kernels), or a second one (edge kernels)
)

// edgeRows is how many rows the kernels for the last rows take.
const edgeRows = 4

// gemmKernel writes one kernel. Its tile of C has rows × vectors registers.
type gemmKernel struct {
	*build.Context
	wide, double  bool
	rows, vectors int
	tile          reg.Register
	aRow, aRow3   reg.Register
	sums          [][]reg.VecVirtual
	last          reg.OpmaskVirtual // lanes of the last vector, with AVX-512
}

// gemm writes the kernels of Gemm.
func gemm(c *build.Context) {
	for _, wide := range []bool{true, false} {
		for _, double := range []bool{false, true} {
			for vectors := 2; vectors > 0; vectors-- {
				k := gemmKernel{Context: c, wide: wide, double: double, vectors: vectors, rows: 12}
				if !wide && vectors == 2 {
					k.rows = 6
				}
				whole := k
				whole.whole()
				k.rows = edgeRows
				k.edge()
			}
		}
	}
	gemmPack(c)
}

// name is that of a kernel: gemm, float32 or float64, the vectors of a row, the kind and the
// instructions.
func (k *gemmKernel) name(kind string) string {
	bits, set := 32, "AVX2"
	if k.double {
		bits = 64
	}
	if k.wide {
		set = "AVX512"
	}
	return fmt.Sprintf("gemm%d%s%d%s", bits, kind, k.vectors, set)
}

// begin starts a function and loads what does not change.
func (k *gemmKernel) begin(kind string) {
	k.Function(k.name(kind))
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(t *byte)")
	k.tile = k.Load(k.Param("t"), k.GP64())
	k.aRow, k.aRow3 = k.field(tileARow), k.GP64()
	k.LEAQ(operand.Mem{Base: k.aRow, Index: k.aRow, Scale: 2}, k.aRow3)
	if k.wide {
		bits := k.field(tileMask)
		k.last = k.K()
		k.KMOVW(bits.As32(), k.last)
	}
}

// field loads a field of the tile.
func (k *gemmKernel) field(place int) reg.GPVirtual {
	r := k.GP64()
	k.MOVQ(k.at(place), r)
	return r
}

func (k *gemmKernel) at(place int) operand.Mem { return operand.Mem{Base: k.tile, Disp: place} }

// whole writes a kernel for tiles whose rows all exist. It does as many as tileRows says, one
// below the other, and leaves this count changed.
func (k *gemmKernel) whole() {
	k.begin("Whole")
	a, c, ahead, step := k.field(tileA), k.field(tileC), k.field(tileAhead), k.field(tileStep)
	k.ADDQ(a, ahead)
	k.Label("tile")
	k.clear()
	var groups []reg.Register
	for row := 0; row < k.rows; row += 4 {
		g := k.GP64()
		if row == 0 {
			k.MOVQ(a, g)
		} else {
			k.LEAQ(operand.Mem{Base: groups[len(groups)-1], Index: k.aRow, Scale: 4}, g)
		}
		groups = append(groups, g)
	}
	fetch := func(reg.Register) {
		k.PREFETCHT1(operand.Mem{Base: ahead})
		if k.vectors*k.bytes() > 64 || k.double {
			k.PREFETCHT1(operand.Mem{Base: ahead, Disp: 64})
		}
		k.ADDQ(step, ahead)
	}
	k.depths(groups, fetch, func(row int) operand.Mem {
		return rowPlace(groups[row/4], k.aRow, k.aRow3, row%4)
	})
	k.update(c, nil)
	// The next tile begins below the rows of this one.
	below := k.GP64()
	k.IMUL3Q(operand.Imm(uint64(k.rows)), k.aRow, below)
	k.ADDQ(below, a)
	k.SUBQ(operand.Imm(1), k.at(tileRows))
	k.JNE(operand.LabelRef("tile"))
	k.VZEROUPPER()
	k.RET()
}

// edge writes a kernel for one to edgeRows rows. Rows that do not exist repeat the first one
// and are not stored.
func (k *gemmKernel) edge() {
	k.begin("Edge")
	k.clear()
	first, rows := k.field(tileA), k.field(tileRows)
	pointers := []reg.Register{first}
	for row := 1; row < edgeRows; row++ {
		p := k.GP64()
		k.LEAQ(rowPlace(first, k.aRow, k.aRow3, row), p)
		k.CMPQ(rows, operand.Imm(uint64(row)))
		k.CMOVQLE(first, p)
		pointers = append(pointers, p)
	}
	ahead, second := k.field(tileAhead), k.field(tileStep)
	fetch := func(b reg.Register) {
		k.PREFETCHT1(operand.Mem{Base: b, Index: ahead, Scale: 1})
		if k.vectors*k.bytes() > 64 {
			k.PREFETCHT1(operand.Mem{Base: b, Index: second, Scale: 1})
		}
	}
	k.depths(pointers, fetch, func(row int) operand.Mem { return operand.Mem{Base: pointers[row]} })
	k.update(k.field(tileC), rows)
	k.VZEROUPPER()
	k.RET()
}

// rowPlace is the place of a row, 0 to 3, of a matrix; three is three times the row.
func rowPlace(base, row, three reg.Register, i int) operand.Mem {
	switch i {
	case 0:
		return operand.Mem{Base: base}
	case 3:
		return operand.Mem{Base: base, Index: three, Scale: 1}
	}
	return operand.Mem{Base: base, Index: row, Scale: uint8(i)}
}

// depths writes the loop over the entries of the rows of A: each sum adds the product of an
// entry of its row of A and of its column of B, in one rounding. fetch reads ahead, given
// where B is.
func (k *gemmKernel) depths(pointers []reg.Register, fetch func(b reg.Register), a func(row int) operand.Mem) {
	b, aDepth, bDepth, left := k.field(tileB), k.field(tileADepth), k.field(tileBDepth), k.field(tileDepth)
	k.Label("depth")
	columns := make([]reg.VecVirtual, k.vectors)
	for v := range columns {
		columns[v] = k.vec()
		from := operand.Mem{Base: b, Disp: v * k.bytes()}
		if k.wide && v == k.vectors-1 {
			k.op(k.VMOVUPS_Z, k.VMOVUPD_Z)(from, k.last, columns[v])
		} else {
			k.ops(k.VMOVUPS, k.VMOVUPD)(from, columns[v])
		}
	}
	for row := range k.sums {
		entry := k.vec()
		k.ops(k.VBROADCASTSS, k.VBROADCASTSD)(a(row), entry)
		for v, c := range columns {
			k.ops(k.VFMADD231PS, k.VFMADD231PD)(c, entry, k.sums[row][v])
		}
	}
	fetch(b)
	for _, p := range pointers {
		k.ADDQ(aDepth, p)
	}
	k.ADDQ(bDepth, b)
	k.SUBQ(operand.Imm(1), left)
	k.JNE(operand.LabelRef("depth"))
}

// clear sets the sums to 0.
func (k *gemmKernel) clear() {
	k.sums = make([][]reg.VecVirtual, k.rows)
	for row := range k.sums {
		for range k.vectors {
			s := k.vec()
			k.sums[row] = append(k.sums[row], s)
			if k.wide {
				k.VPXORD(s, s, s)
			} else {
				k.VXORPS(s, s, s)
			}
		}
	}
}

func (k *gemmKernel) vec() reg.VecVirtual {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}

// bytes is the size of a vector.
func (k *gemmKernel) bytes() int {
	if k.wide {
		return 64
	}
	return 32
}

// ops chooses the instruction for the type.
func (k *gemmKernel) ops(single, double func(...operand.Op)) func(...operand.Op) {
	if k.double {
		return double
	}
	return single
}

// op is ops for instructions of three operands.
func (k *gemmKernel) op(single, double func(a, b, c operand.Op)) func(a, b, c operand.Op) {
	if k.double {
		return double
	}
	return single
}
