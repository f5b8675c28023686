package neural

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
)

// sums are the sums of one step in one goroutine: one for each group of blocks, and the counts of
// adaptive rules.
type sums struct {
	products []*release.ProductSum
	counts   *release.VectorSum
}

// newSums returns empty sums over a sample.
func (r *run) newSums(sample release.Sample) (sums, error) {
	var s sums
	c := r.Plan.Clipping
	for k, g := range r.groups {
		sum, err := release.NewProductSum(sample, release.ProductOptions{Noise: r.noises[k], Blocks: g.blocks, Bound: c.bound(r.levels[k].norm), MaxRecords: r.Plan.MaxRecords})
		if err != nil {
			return s, err
		}
		s.products = append(s.products, sum)
	}
	if c.Adaptive == nil {
		return s, nil
	}
	var err error
	s.counts, err = release.NewVectorSum(sample, release.VectorOptions{Noise: r.noises[len(r.groups)], Norm: release.L2(), Dim: len(r.groups), Bound: c.countRadius(), MaxRecords: r.Plan.MaxRecords})
	return s, err
}

// empty returns empty sums of the same kind, in the memory of old sums that were merged.
func (s sums) empty(old sums) sums {
	var out sums
	for k, p := range s.products {
		var own *release.ProductSum
		if k < len(old.products) {
			own = old.products[k]
		}
		out.products = append(out.products, p.EmptyIn(own))
	}
	if s.counts != nil {
		out.counts = s.counts.Empty()
	}
	return out
}

// merge adds the sums of o.
func (s sums) merge(o sums) error {
	var failed error
	for k, p := range s.products {
		failed = errors.Join(failed, p.Merge(o.products[k]))
	}
	if s.counts != nil {
		failed = errors.Join(failed, s.counts.Merge(o.counts))
	}
	return failed
}

// seal ends the sums.
func (s sums) seal() []release.Bounded {
	var out []release.Bounded
	for _, p := range s.products {
		out = append(out, p.Seal())
	}
	if s.counts != nil {
		out = append(out, s.counts.Seal())
	}
	return out
}

// gather adds up the proposals of the records of a sample and seals the sums.
func (r *run) gather(sample release.Sample) ([]release.Bounded, error) {
	if r.Plan.Clipping.MicroBatch != nil {
		return r.gatherMicroBatches(sample)
	}
	if r.Plan.Clipping.Projection != nil {
		return r.gatherProjected(sample)
	}
	all, err := r.newSums(sample)
	if err != nil {
		return nil, err
	}
	records := r.present(sample.Indices())
	parts := r.parts(records, r.chunkOf(records))
	r.spot.pick(records)
	err = r.share(len(parts), func(w *worker) func(part int) error {
		w.sums = all.empty(w.sums)
		return func(part int) error { return w.add(parts[part]) }
	}, func(w *worker) error { return all.merge(w.sums) })
	if err != nil {
		return nil, err
	}
	return all.seal(), nil
}

// present returns the places of a sample that hold records, ascending.
func (r *run) present(places []int) []int {
	at, _ := slices.BinarySearch(places, r.records())
	return places[:at]
}

// share divides the parts of a step among the processors. It calls begin once for each goroutine
// that works. It then calls end once for each, one after the other.
func (r *run) share(parts int, begin func(w *worker) func(part int) error, end func(w *worker) error) error {
	var lock sync.Mutex
	var next atomic.Int64
	var failed error
	workers := min(runtime.GOMAXPROCS(0), parts)
	for len(r.workers) < workers {
		r.workers = append(r.workers, newWorker(r))
	}
	for _, w := range r.workers[:workers] {
		w.tape.Serial(workers > 1)
	}
	parallel.Each(workers, func(i int) {
		w := r.workers[i]
		do := begin(w)
		var err error
		for part := int(next.Add(1)) - 1; part < parts && err == nil; part = int(next.Add(1)) - 1 {
			err = do(part)
		}
		lock.Lock()
		defer lock.Unlock()
		failed = errors.Join(failed, err, end(w))
	})
	if errors.Is(failed, release.ErrComputation) {
		return release.ErrComputation // the error hides how many goroutines found it
	}
	return failed
}

// chunkNumbers is the default number of input numbers in the chunk of a goroutine. Activations of
// the layers take several times that. Chunks are smaller for records of several positions, whose
// layers need more memory. They are also smaller for sparse records, whose factors have the length
// of the longest in a chunk.
const (
	chunkNumbers           = 1 << 19
	minChunk, defaultChunk = 16, 512
	positionsChunk         = 64
)

// chunk returns the number of rows that a goroutine of the run works on at a time.
func (r *run) chunk() int { return r.Setup.chunk(r.options, r.takesEntries()) }

// chunk returns the number of rows that a goroutine works on at a time. With entries the network
// receives the nonzero entries of rows.
func (s Setup) chunk(o Options, entries bool) int {
	switch {
	case o.Chunk > 0:
		return o.Chunk
	case len(s.Network.Input()) > 1 || entries || vocabularyOf(s.Network.Layers()) > 0:
		return positionsChunk
	}
	return min(defaultChunk, max(minChunk, chunkNumbers/s.Network.Input().Size()))
}

// chunkOf returns how many rows of these records a goroutine works on at a time. It is less than
// chunk if some processors would otherwise have none.
func (r *run) chunkOf(records []int) int {
	rows := len(records)
	if r.persons != nil {
		rows = 0
		for _, record := range records {
			rows += r.rowsOf(record)
		}
	}
	each := (rows + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	return min(r.chunk(), max(minChunk, each))
}

// takesEntries reports whether the network receives the nonzero entries of rows instead of whole
// rows.
func (r *run) takesEntries() bool { return r.Network.TakesEntries() && r.rows.Entries() }
