package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// gemmShare is how many products of two numbers are worth a worker of their own.
const gemmShare = 1 << 22

// gemmTeam is a product that several workers share. Each takes parts of c until none is left
// and packs what it needs itself, so that the workers need not wait for each other. No bit of
// the result depends on the parts.
type gemmTeam[T Float] struct {
	product       gemmProduct[T]
	rows, columns int // how many parts
	next          atomic.Int64
	done          sync.WaitGroup
	work          func() // made once: starting it needs no memory
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

// run does the product by the given number of workers, or by as many as pay for 0.
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
	t.product = gemmProduct[T]{} // which holds the caller's slices
	gemmTeams[poolIndex[T]()].Put(t)
}

// split returns into how many parts the rows and columns of c go for a number of workers.
// The longer side is split first, for the shorter one is packed by every worker.
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

// takeParts does parts until all are taken.
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
