//go:build amd64 && !noasm

package kernel

import "sync"

// These are the sizes of blocks of AddProductInt, which decide its speed only.
const (
	wholeDepth   = 256     // most rows whose products are added up in 32 bits, if the group allows
	wholeChunk   = 2048    // most rows that are packed at a time, but for the last block
	wholeColumns = 1 << 10 // most columns of a at a time, a multiple of every panel
	wholeRights  = 96      // columns of b at a time, a multiple of every tile
)

// wholeProduct is a product by assembly. The pairs of rows of a block are adjacent. The columns of
// a come first, in panels as wide as a tile. The columns of b follow, in panels as high as a tile.
type wholeProduct struct {
	IntShape
	set    instructions
	tile   wholeTile
	dst    []int64
	a, b   []int16
	lower  bool // the entries above the diagonal of a square dst are unspecified, and most are left out
	length int  // rows of a block
	pairs  int  // pairs of rows of a block; the last may be half
}

// wholeTile is the shape of the largest tile of dst.
type wholeTile struct{ columns, rows int }

// wholeWorkspace holds the packed rows. It is kept between calls.
type wholeWorkspace struct{ a, b []uint32 }

var wholeWorkspaces sync.Pool

func wholeWorkspaceOf() *wholeWorkspace {
	if w, kept := wholeWorkspaces.Get().(*wholeWorkspace); kept {
		return w
	}
	return new(wholeWorkspace)
}

// blockLength returns how many rows are added up in 32 bits. Blocks are as equal as possible, and
// consist of pairs if the group allows.
func (s IntShape) blockLength() int {
	most := min(s.Group, wholeDepth)
	if most > 1 {
		most &^= 1
	}
	blocks := (s.Rows + most - 1) / most
	length := (s.Rows + blocks - 1) / blocks
	return min(length+length%2, most)
}

// run computes the columns of a from ≤ k < to.
func (p *wholeProduct) run(from, to int) {
	w := wholeWorkspaceOf()
	defer wholeWorkspaces.Put(w)
	p.length = p.blockLength()
	p.pairs = (p.length + 1) / 2
	chunk := max(1, wholeChunk/p.length) * p.length
	for first := 0; first < p.Rows; first += chunk {
		last := min(first+chunk, p.Rows)
		for k := from; k < to; k += wholeColumns {
			p.strip(w, [2]int{first, last}, [2]int{k, min(k+wholeColumns, to)})
		}
	}
}

// strip computes some rows and some columns of a. Columns of a that several blocks of columns of b
// need are packed once.
func (p *wholeProduct) strip(w *wholeWorkspace, rows, columns [2]int) {
	blocks := (rows[1] - rows[0] + p.length - 1) / p.length
	several := p.Right > wholeRights
	panels := 1
	if several {
		panels = (columns[1] - columns[0] + p.tile.columns - 1) / p.tile.columns
	}
	panel := blocks * p.pairs * p.tile.columns // numbers of a panel of a
	w.a = grown(w.a, panels*panel)
	w.b = grown(w.b, blocks*p.pairs*wholeRights)
	for j := 0; j < p.Right; j += wholeRights {
		to := min(j+wholeRights, p.Right)
		end := columns[1]
		if p.lower {
			end = min(end, to)
		}
		if columns[0] >= end {
			continue
		}
		p.packRights(w.b, rows, j, to)
		for k, at := columns[0], 0; k < end; k += p.tile.columns {
			packed := w.a[at : at+panel]
			if j == 0 || p.lower && k >= j {
				p.packLefts(packed, rows, k, min(k+p.tile.columns, columns[1]))
			}
			p.panel(packed, w.b, rows, k, min(k+p.tile.columns, columns[1]), j, to)
			if several {
				at += panel
			}
		}
	}
}

// packLefts packs columns from ≤ k < to of a, at most the columns of a tile.
func (p *wholeProduct) packLefts(dst []uint32, rows [2]int, from, to int) {
	for i := rows[0]; i < rows[1]; i += p.length {
		n := min(p.length, rows[1]-i)
		p.pack(dst, p.wide(to-from), p.a[i*p.Left+from:], p.Left, n, to-from)
		dst = dst[p.pairs*p.tile.columns:]
	}
}

// packRights packs columns from ≤ j < to of b: for each block of rows, one tile after another.
func (p *wholeProduct) packRights(dst []uint32, rows [2]int, from, to int) {
	for i := rows[0]; i < rows[1]; i += p.length {
		n := min(p.length, rows[1]-i)
		at := 0
		for j := from; j < to; j += p.tile.rows {
			high := p.high(to - j)
			p.pack(dst[at:], high, p.b[i*p.Right+j:], p.Right, n, min(high, to-j))
			at += p.pairs * high
		}
		dst = dst[p.blockRights(to-from):]
	}
}

// blockRights returns how many numbers of b a block of rows has for some columns.
func (p *wholeProduct) blockRights(columns int) int {
	whole := columns / p.tile.rows * p.tile.rows
	if whole < columns {
		whole += p.high(columns - whole)
	}
	return p.pairs * whole
}

// panel computes columns from ≤ k < to of a, packed, with columns j ≤ . < end of b, packed.
func (p *wholeProduct) panel(a, b []uint32, rows [2]int, from, to, j, end int) {
	wide, step := p.wide(to-from), p.blockRights(end-j)
	for i := rows[0]; i < rows[1]; i += p.length {
		pairs := (min(p.length, rows[1]-i) + 1) / 2
		at := 0
		for r := j; r < end; r += p.tile.rows {
			high := p.high(end - r)
			p.addTile(p.dst[r*p.Left+from:], a, b[at:], pairs, wholeTile{wide, high}, wholeTile{to - from, min(high, end-r)})
			at += p.pairs * high
		}
		a, b = a[p.pairs*p.tile.columns:], b[step:]
	}
}
