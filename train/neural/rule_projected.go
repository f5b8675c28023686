package neural

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// projected estimates norms by random projections and clips by the estimates (Bu, Gopi, Kulkarni,
// Lee, Shen & Tantipongpipat, "Fast and Memory Efficient Differentially Private-SGD via JL
// Projections", NeurIPS 2021, algorithm 1, https://arxiv.org/abs/2102.03013). It adds a cap on the
// clipped length, which the source lacks. Package internal/release draws the projections and clips,
// since the cost depends on both (release.ProjectedSum). The rule itself therefore leaves gradients
// unchanged. Norms of networks are exact at no cost here; the rule is for comparison.
type projected struct{}

var _ rule = projected{}

func (projected) name() string { return "projected" }

func (projected) needs() parameters { return parameters{projection: true} }

func (projected) weight(float64, level) float64 { return 1 }

// projection holds the numbers by which norms are estimated.
type projection struct {
	// Directions is the number of projections.
	Directions int `json:"directions"`
	// Cap is the largest length of a clipped gradient, in clipping norms.
	Cap float64 `json:"cap"`
}

// noise returns the noise of a sum that clips by projections.
func (p projection) noise(multiplier float64) mechanism.JLClipping {
	return mechanism.JLClipping{NoiseMultiplier: multiplier, Projections: p.Directions, Cap: p.Cap, Probability: 1}
}

// gatherProjected adds up the gradients of a sample, which are clipped by projections, and seals
// the sum.
func (r *run) gatherProjected(sample release.Sample) ([]release.Bounded, error) {
	p := *r.Plan.Clipping.Projection
	all, err := release.NewProjectedSum(sample, release.ProjectedOptions{Noise: r.noises[0], Projections: p.Directions, Cap: p.Cap, Dim: r.Network.Trained(), Bound: r.levels[0].norm, MaxRecords: r.Plan.MaxRecords})
	if err != nil {
		return nil, err
	}
	records := r.present(sample.Indices())
	parts := r.parts(records, r.chunk())
	err = r.share(len(parts), func(w *worker) func(part int) error {
		w.projected = all.Empty()
		return func(part int) error {
			return w.addProjected(parts[part])
		}
	}, func(w *worker) error { return all.Merge(w.projected) })
	if err != nil {
		return nil, err
	}
	return []release.Bounded{all.Seal()}, nil
}

// addProjected adds the gradients of records, one after the other.
func (w *worker) addProjected(records []int) error {
	factors, err := w.factors(records)
	if err != nil {
		return err
	}
	gradient, vector := make([]float32, w.Network.Trained()), make([]float64, w.Network.Trained())
	for i, record := range records {
		clear(gradient)
		at := 0
		for _, f := range factors {
			w.space.AddSum(gradient[at:at+f.Numbers()], one(f, i), []float32{1})
			at += f.Numbers()
		}
		for j, v := range gradient {
			vector[j] = float64(v)
		}
		if err = w.projected.AddAt([]int{record}, vector); err != nil {
			return err
		}
	}
	return nil
}

// one returns the factors of the i-th record alone.
func one(f kernel.Factors[float32], i int) kernel.Factors[float32] {
	part := func(x []float32) []float32 {
		n := len(x) / f.Records
		return x[i*n : (i+1)*n]
	}
	out := f
	out.Records, out.Rights = 1, part(f.Rights)
	if f.Lefts != nil {
		out.Lefts = part(f.Lefts)
	}
	if f.Index != nil {
		n := len(f.Index) / f.Records
		out.Index = f.Index[i*n : (i+1)*n]
	}
	if f.Values != nil {
		out.Values = part(f.Values)
	}
	return out
}

// validate refuses projections that make no sense, or that have no proof in combination with other
// settings.
func (p *projection) validate(c Clipping) error {
	switch {
	case p == nil:
		return nil
	case p.Directions < 1 || p.Directions > 1<<10 || !(p.Cap > 0 && p.Cap <= 1<<10):
		return fmt.Errorf("neural: there are %d projections with cap %v, want 1 to 1024 and a cap of more than 0 and at most 1024", p.Directions, p.Cap)
	case len(c.Groups) != 1 || c.MicroBatch != nil:
		return fmt.Errorf("neural: clipping rule is %s with %d groups or with micro-batches, want the whole gradient of each record", c.Rule, len(c.Groups))
	}
	return nil
}
