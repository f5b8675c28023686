package model

import (
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/network"
)

const (
	// maxParameters bounds the parameters of a model's network: 256 MiB of them.
	maxParameters = 1 << 26
	// maxOutputs bounds the outputs of all layers of a network for one record together.
	maxOutputs = 1 << 24
	// networkRows is the number of rows of a data set that a network predicts at a time.
	// networkNumbers bounds their numbers together, unless one row has more.
	networkRows, networkNumbers = 64, 1 << 20
)

// rowsTogether returns the number of rows that a network predicts at a time.
func (n *trained) rowsTogether() int {
	widest := outputs(n.network.Input(), n.network.Layers())
	if n.sparse == nil {
		widest += n.network.Input().Size()
	}
	return max(1, min(networkRows, networkNumbers/widest))
}

// trained holds a model's network for prediction. It does not change.
type trained struct {
	network *network.Network
	weights []float32
	file    []byte // the weights as in the file next to model.json
	// sparse is the map of rows if the network takes the nonzero features, or nil.
	sparse sparseMap
}

// NewNetwork returns a model whose scores come from a network. The inputs of the network are the
// rows that the feature map computes. The network must have one output for each score of the loss.
// The weights are in the order of network.Network: first the trained blocks, then the frozen
// blocks. NewNetwork keeps its arguments. It returns an error if the arguments do not fit together
// or if the model is too large to be served. The error wraps ErrNotFinite if a weight is not
// finite.
func NewNetwork(s *data.Schema, features *feature.Map, loss Loss, n *network.Network, weights []float32) (*Model, error) {
	linear, err := NewLinear(loss, len(s.Target.Levels), features.Dim())
	if err != nil {
		return nil, err
	}
	if err = checkNetwork(n, linear); err != nil {
		return nil, err
	}
	if len(weights) != n.Weights() {
		return nil, fmt.Errorf("model: %d weights, want %d of the network", len(weights), n.Weights())
	}
	for _, w := range weights {
		if w-w != 0 {
			return nil, fmt.Errorf("model: a weight is %v, %w", w, ErrNotFinite)
		}
	}
	if _, taken := features.Files()[WeightsFileName]; taken {
		return nil, fmt.Errorf("model: a transform stands on a file named %s, which is that of the network, want another name; rename it", WeightsFileName)
	}
	file, err := encodeWeights(n, weights)
	if err != nil {
		return nil, err
	}
	m := newModel(s, features, linear)
	m.trained = &trained{network: n, weights: weights, file: file, sparse: entriesOf(n, features)}
	return m, nil
}

// checkNetwork refuses a network that is too large, or that does not fit rows and loss.
func checkNetwork(n *network.Network, linear Linear) error {
	in, out := n.Input().Size(), n.Output().Size()
	switch {
	case in != linear.Dim:
		return fmt.Errorf("model: the network takes %d numbers (%v), want %d, as many as there are features", in, n.Input(), linear.Dim)
	case out != linear.Columns:
		return fmt.Errorf("model: the network gives %d numbers (%v), want %d, as many as the loss %s has scores; change its last layer", out, n.Output(), linear.Columns, linear.Loss.Name())
	case n.Weights() > maxParameters:
		return fmt.Errorf("model: the network has %d weights, want at most %d; make its layers smaller", n.Weights(), maxParameters)
	}
	if numbers := outputs(n.Input(), n.Layers()); numbers > maxOutputs {
		return fmt.Errorf("model: the layers give %d numbers for a record, all together, want at most %d; make them smaller", numbers, maxOutputs)
	}
	return nil
}

// outputs returns the number of outputs of all layers for one record, including layers inside
// others. Beyond maxOutputs the result is any larger number.
func outputs(shape network.Shape, layers network.Layers) int {
	numbers := 0
	for _, layer := range layers {
		switch l := layer.(type) {
		case network.Frozen:
			numbers += outputs(shape, l.Layers)
		case network.Residual:
			numbers += outputs(shape, l.Layers)
		}
		alone, err := network.New(shape, layer)
		if err != nil {
			return numbers // network.New has accepted them
		}
		shape = alone.Output()
		if numbers += shape.Size(); numbers > maxOutputs {
			return numbers
		}
	}
	return numbers
}

// Network returns the model's network, or nil for a linear model.
func (m *Model) Network() *network.Network {
	if m.trained == nil {
		return nil
	}
	return m.trained.network
}

// NetworkWeights returns the weights of the network, or nil for a linear model. The caller must not
// modify the slice.
func (m *Model) NetworkWeights() []float32 {
	if m.trained == nil {
		return nil
	}
	return m.trained.weights
}

// networkScratch is the scratch of a network for up to a fixed number of rows.
type networkScratch struct {
	rows    int // the largest number of rows
	tape    *network.Tape[float32]
	x       []float32
	entries network.Entries[float32]
}

func (n *trained) newScratch(rows int) *networkScratch {
	s := &networkScratch{rows: rows, tape: network.NewTape[float32](n.network, rows)}
	s.tape.Serial(true)
	return s
}

// scores writes the scores of mapped rows to dst. A row's scores have the same bits whatever other
// rows are in the block.
func (n *trained) scores(dst, x []float64, s *networkScratch) {
	in, out := n.network.Input().Size(), n.network.Output().Size()
	for len(x) > 0 {
		rows := min(len(x)/in, s.rows)
		s.x = room(s.x, rows*in)
		for j, v := range x[:rows*in] {
			s.x[j] = float32(v)
		}
		for j, v := range s.tape.Forward(s.x[:rows*in], rows, n.weights) {
			dst[j] = float64(v)
		}
		dst, x = dst[rows*out:], x[rows*in:]
	}
}

// networkReader predicts rows of a data set in blocks, ahead of their use.
type networkReader struct {
	scratch     *networkScratch
	x           []float64
	features    *feature.Scratch
	first, rows int // the rows whose predictions are in out
	out         []float64
	next        int // the record after the last requested one
}

// predictAhead writes the prediction for record i to dst. It predicts ahead only for consecutive
// records.
func (r *Reader) predictAhead(dst []float64, i int) {
	ahead, m, k := r.ahead, r.model, r.model.Outputs()
	if i < ahead.first || i >= ahead.first+ahead.rows {
		n := 1
		if i == ahead.next {
			n = min(ahead.scratch.rows, r.data.Records()-i)
		}
		if m.trained.sparse != nil {
			r.scoreEntries(ahead.out[:n*k], i, n)
		} else {
			r.scoreRows(ahead.out[:n*k], i, n)
		}
		for row := range n {
			m.finish(ahead.out[row*k : (row+1)*k])
		}
		ahead.first, ahead.rows = i, n
	}
	ahead.next = i + 1
	copy(dst, ahead.out[(i-ahead.first)*k:][:k])
}

// scoreRows writes the scores of n records from record first.
func (r *Reader) scoreRows(dst []float64, first, n int) {
	m, ahead := r.model, r.ahead
	x := ahead.x[:n*m.features.Dim()]
	m.features.Apply(x, n, ahead.features, func(at int) []float32 {
		r.values = r.data.Row(r.values, first+at)
		return r.values
	})
	m.trained.scores(dst, x, ahead.scratch)
}

func (m *Model) newNetworkReader() *networkReader {
	rows := m.trained.rowsTogether()
	if m.trained.sparse != nil {
		return &networkReader{scratch: m.trained.newScratch(rows), out: make([]float64, rows*m.Outputs())}
	}
	return &networkReader{scratch: m.trained.newScratch(rows), x: make([]float64, rows*m.features.Dim()),
		features: m.features.NewScratch(rows), out: make([]float64, rows*m.Outputs())}
}
