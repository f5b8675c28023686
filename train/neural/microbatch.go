package neural

import (
	"math"

	"github.com/ditherml/dither/internal/release"
)

// gatherMicroBatches deals the records of a sample to micro-batches, adds up their clipped means,
// and seals the sum.
func (r *run) gatherMicroBatches(sample release.Sample) ([]release.Bounded, error) {
	m := r.Plan.Clipping.MicroBatch
	divided, members, err := sample.Divide(m.Count)
	if err != nil {
		return nil, err
	}
	all, err := release.NewVectorSum(divided, release.VectorOptions{Noise: r.noises[0], Norm: release.L2(), Dim: r.Network.Trained(), Bound: r.Plan.Clipping.bound(r.levels[0].norm), MaxRecords: m.Count})
	if err != nil {
		return nil, err
	}
	err = r.share(m.Count, func(w *worker) func(part int) error {
		own := all.Empty()
		w.vectors = own
		return func(part int) error {
			vector, failed := w.mean(r.present(members[part]))
			if failed != nil {
				return failed
			}
			return own.AddAt([]int{part}, vector)
		}
	}, func(w *worker) error { return all.Merge(w.vectors) })
	if err != nil {
		return nil, err
	}
	return []release.Bounded{all.Seal()}, nil
}

// mean returns the clipped sum of the gradients of a micro-batch, divided by its declared size.
// Each gradient that is not finite is left out.
func (w *worker) mean(records []int) ([]float64, error) {
	sum := make([]float32, w.Network.Trained())
	vector := make([]float64, len(sum))
	for _, part := range w.parts(records, w.chunk()) {
		if err := w.addGradients(sum, part); err != nil {
			return nil, err
		}
	}
	square := 0.0
	for j, v := range sum {
		vector[j] = float64(v)
		square += vector[j] * vector[j]
	}
	weight := weighted(w.rule, math.Sqrt(square), w.levels[0])
	for j := range vector {
		vector[j] *= weight
	}
	return vector, nil
}

// addGradients adds the gradients of records, divided by the declared size, to sum.
func (w *worker) addGradients(sum []float32, records []int) error {
	factors, err := w.factors(records)
	if err != nil {
		return err
	}
	n := len(records)
	squares, weights := w.squares[:n], w.weights[:n]
	clear(squares)
	for _, f := range factors {
		w.space.SquaredNorms(squares, f)
	}
	for i, square := range squares {
		if weights[i] = 0; square <= math.MaxFloat32 {
			weights[i] = float32(1 / w.Plan.Clipping.MicroBatch.Size)
		}
	}
	at := 0
	for _, f := range factors {
		w.space.AddSum(sum[at:at+f.Numbers()], f, weights)
		at += f.Numbers()
	}
	return nil
}
