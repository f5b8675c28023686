package neural

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/network"
)

// worker is the state in which one goroutine makes proposals. Nothing in it is trusted: the sums
// verify what is added.
type worker struct {
	*run
	rule      rule
	tape      *network.Tape[float32]
	space     network.Workspace[float32]
	sums      sums
	vectors   *release.VectorSum // of micro-batches
	projected *release.ProjectedSum
	block     release.Block
	// These belong to the records of a chunk. They are inputs (whole rows or their nonzero entries)
	// and derivatives with respect to the outputs. They are also squared norms and weights of one
	// group, and counts of all groups.
	x, slopes []float32
	entries   network.Entries[float32]
	squares   []float64
	weights   []float32
	counts    []float64
	// of every block
	scaledFactors []scaledMemory
	// of one record
	row              []float64
	narrow           []int16
	scores, residual []float64
	// of persons: the rows of a chunk, and the repeated factors of every block
	indices []int
	spreads [][]float32
}

func newWorker(r *run) *worker { return newWorkerOf(r, r.largest(r.chunk())) }

// newWorkerOf is newWorker for chunks of up to this number of rows.
func newWorkerOf(r *run, chunk int) *worker {
	in, out := r.Network.Input().Size(), r.Network.Output().Size()
	used, err := ruleOf(r.Plan.Clipping.Rule)
	if err != nil {
		used = flat{} // Validate refuses it
	}
	w := &worker{run: r, rule: used, tape: network.NewTape[float32](r.Network, chunk), slopes: make([]float32, chunk*out),
		squares: make([]float64, chunk), weights: make([]float32, chunk), counts: make([]float64, chunk*len(r.groups)),
		scores: make([]float64, out), residual: make([]float64, out)}
	if !r.takesEntries() {
		w.x, w.row, w.narrow = make([]float32, chunk*in), make([]float64, in), make([]int16, in)
	}
	w.tape.Training(true)
	w.scaledFactors, w.spreads = make([]scaledMemory, len(r.Network.Blocks())), make([][]float32, len(r.Network.Blocks()))
	return w
}

// factors runs the network over records, forward and backward, and returns their proposals.
func (w *worker) factors(records []int) ([]kernel.Factors[float32], error) {
	rows := w.rowsOfAll(records)
	n := len(rows)
	var err error
	if w.block, err = w.rows.LoadAt(rows, w.block); err != nil {
		return nil, err
	}
	outputs, out := w.forward(n), len(w.scores)
	for i, label := range w.block.Labels() {
		w.slope(w.slopes[i*out:(i+1)*out], outputs[i*out:(i+1)*out], float64(label))
	}
	return w.together(w.tape.Backward(w.slopes[:n*out]), len(records)), nil
}

// forward runs the network over the rows of the block.
func (w *worker) forward(n int) []float32 {
	if !w.takesEntries() {
		in := len(w.row)
		for i := range n {
			w.load(w.x[i*in:(i+1)*in], i)
		}
		return w.tape.Forward(w.x[:n*in], n, w.numbers)
	}
	e := &w.entries
	e.Start, e.Index, e.Values = append(e.Start[:0], 0), e.Index[:0], e.Values[:0]
	for i := range n {
		e.Index, e.Values = w.block.AppendEntries(i, e.Index, e.Values)
		e.Start = append(e.Start, len(e.Index))
	}
	return w.tape.ForwardEntries(*e, n, w.numbers)
}

// load writes the i-th row of the block under the feature map.
func (w *worker) load(dst []float32, i int) {
	clear(w.row)
	one := [1]float64{1}
	w.block.AddTo(w.row, i, one[:], w.narrow)
	for j, v := range w.row {
		dst[j] = float32(v)
	}
}

// slope writes the derivatives of a record's loss by its outputs. It writes zeros for a record
// without a label or with outputs that are not finite.
func (w *worker) slope(dst, outputs []float32, label float64) {
	clear(dst)
	for k, v := range outputs {
		if w.scores[k] = float64(v); v-v != 0 {
			return
		}
	}
	if label != label {
		return
	}
	w.Loss.Residuals(w.residual, w.scores, label)
	for k, v := range w.residual {
		dst[k] = float32(v)
	}
}

// add adds the weighted gradients of records, and their counts, to the sums.
func (w *worker) add(records []int) error {
	factors, err := w.factors(records)
	if err != nil {
		return err
	}
	n := len(records)
	counts := w.counts[:n*len(w.groups)]
	at, picked := w.run.spot.within(records)
	if picked {
		if err = w.run.spot.load(w.run); err != nil {
			return err
		}
	}
	for k := range w.groups {
		own := w.weighted(factors, k, counts)
		if picked && !w.run.spot.agrees(w, own, k, at) {
			return release.ErrComputation
		}
		if err = w.sums.products[k].Add(records, own, w.weights[:n]); err != nil {
			return err
		}
	}
	if w.sums.counts == nil {
		return nil
	}
	return w.sums.counts.AddAt(records, counts)
}

// weighted returns the proposals of records for group k, and fills in their weights and counts.
func (w *worker) weighted(factors []kernel.Factors[float32], k int, counts []float64) []kernel.Factors[float32] {
	g := w.groups[k]
	own := factors[g.first:g.end]
	if scale := scaling(g.optimizer); scale != nil {
		own = w.scaled(own, g.first, scale)
	}
	w.applyWeights(own, k, counts)
	return own
}

// applyWeights fills in the weights of records for group k. Under an adaptive rule it also fills in
// b - ½ for each.
func (w *worker) applyWeights(factors []kernel.Factors[float32], k int, counts []float64) {
	n, l := factors[0].Records, w.levels[k]
	squares := w.squares[:n]
	clear(squares)
	for _, f := range factors {
		w.space.SquaredNorms(squares, f)
	}
	adapts, _ := w.rule.(adapting)
	for i, square := range squares {
		norm := math.Sqrt(square)
		w.weights[i] = float32(weighted(w.rule, norm, l))
		if adapts != nil {
			counts[i*len(w.groups)+k] = -0.5
			if adapts.within(norm, l) {
				counts[i*len(w.groups)+k] = 0.5
			}
		}
	}
}
