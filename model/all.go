package model

import (
	"context"
	"math"
	"runtime"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/parallel"
)

// blockRows is the number of rows that a goroutine predicts at a time.
const blockRows = 512

// PredictAll predicts the rows of d in order, on all processors. It passes one block of predictions
// after the other to the function use. The argument first is the number of the block's first row. A
// block has shape [rows, m.Outputs()]. The predictions of a row that the schema drops are NaN. The
// memory of a block is reused after this function has returned. The error is the first error of
// this function, or ctx.Err().
func (m *Model) PredictAll(ctx context.Context, d *data.Dataset, use func(first int, predictions []float64) error) error {
	k := m.Outputs()
	predictors := make([]predictor, runtime.GOMAXPROCS(0))
	for i := range predictors {
		predictors[i] = predictor{model: m, data: d, reader: m.NewReader(d)}
	}
	round := blockRows * len(predictors)
	out := make([]float64, min(round, d.Records())*k)
	for first := 0; first < d.Records(); first += round {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n := min(round, d.Records()-first)
		parallel.Each(len(predictors), func(i int) {
			from, to := min(n, i*blockRows), min(n, (i+1)*blockRows)
			predictors[i].rows(out[from*k:to*k], first+from)
		})
		if err := use(first, out[:n*k]); err != nil {
			return err
		}
	}
	return nil
}

// predictor is the scratch of one goroutine.
type predictor struct {
	model  *Model
	data   *data.Dataset
	reader *Reader
}

// rowsTogether is the number of rows that a predictor maps together, which is faster if they are
// whitened.
const rowsTogether = 128

// rows predicts consecutive rows from first until dst is full.
func (p *predictor) rows(dst []float64, first int) {
	k := p.model.Outputs()
	for n := len(dst) / k; n > 0; n = len(dst) / k {
		n = min(n, rowsTogether)
		p.reader.PredictRows(dst[:n*k], first, n)
		for i := range n {
			if p.data.Dropped(first + i) {
				for j := range k {
					dst[i*k+j] = math.NaN()
				}
			}
		}
		dst, first = dst[n*k:], first+n
	}
}
