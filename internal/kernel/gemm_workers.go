package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// gemmShare is the number of products of two numbers that are worth a worker of their own.
const gemmShare = 1 << 22

// gemmTeam is a product that several workers share. Each takes parts of c until none is left and
// packs its own data, so that no worker waits for another. No bit of the result depends on the
// parts.
type gemmTeam[T Float] struct {
	product       gemmProduct[T]
	rows, columns int // the number of parts
	next          atomic.Int64
	done          sync.WaitGroup
	work          func() // made once, so that starting it needs no memory
}

var gemmTeams [2]sync.Pool // of float32, of float64

func teamOf[T Float]() *gemmTeam[T] {
	if t, kept := gemmTeams[poolIndex[T]()].Get().(*gemmTeam[T]); kept {
		return t
	}
	t := new(gemmTeam[T])
	t.work = func() {
		t.takeParts()
		t.done.Done()
	}
	return t
}

// run computes the product by the given number of workers; 0 means the number that pays off.
func (g *gemmProduct[T]) run(workers int) {
	if workers == 0 {
		products := float64(g.c.Rows) * float64(g.c.Columns) * float64(g.a.Columns)
		workers = int(min(products/gemmShare, float64(runtime.GOMAXPROCS(0))))
	}
	rows, columns := g.split(workers)
	if rows*columns == 1 {
		w := workspaceOf[T]()
		g.part(w, [2]int{0, g.c.Rows}, [2]int{0, g.c.Columns})
		w.release()
		return
	}
	t := teamOf[T]()
	t.product, t.rows, t.columns = *g, rows, columns
	t.next.Store(0)
	for range rows*columns - 1 {
		t.done.Add(1)
		go t.work()
	}
	t.takeParts()
	t.done.Wait()
	t.product = gemmProduct[T]{} // it holds the caller's slices
	gemmTeams[poolIndex[T]()].Put(t)
}

// split returns the number of parts of the rows and of the columns of c for a number of workers.
// The longer side is split first, because every worker packs the shorter one.
func (g *gemmProduct[T]) split(workers int) (rows, columns int) {
	most := func(length, unit int) int { return max(1, length/unit) }
	rowUnit, columnUnit := 2*g.shape.rows[2], 2*g.shape.lanes
	if g.c.Rows >= g.c.Columns {
		rows = max(1, min(workers, most(g.c.Rows, rowUnit)))
		return rows, max(1, min(workers/rows, most(g.c.Columns, columnUnit)))
	}
	columns = max(1, min(workers, most(g.c.Columns, columnUnit)))
	return max(1, min(workers/columns, most(g.c.Rows, rowUnit))), columns
}

// takeParts computes parts until all are taken.
func (t *gemmTeam[T]) takeParts() {
	w := workspaceOf[T]()
	defer w.release()
	for {
		p := int(t.next.Add(1)) - 1
		if p >= t.rows*t.columns {
			return
		}
		g := &t.product
		rows := cut(g.c.Rows, t.rows, p/t.columns, 12)
		columns := cut(g.c.Columns, t.columns, p%t.columns, 2*g.shape.lanes)
		if rows[0] < rows[1] && columns[0] < columns[1] {
			g.part(w, rows, columns)
		}
	}
}

// cut returns the i-th of a number of parts of a length, which begin at multiples of unit.
func cut(length, parts, i, unit int) [2]int {
	units := (length + unit - 1) / unit
	return [2]int{min(length, units*i/parts*unit), min(length, units*(i+1)/parts*unit)}
}
