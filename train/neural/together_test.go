package neural

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/together/togethertest"
	"github.com/ditherml/dither/privacy"
)

// TestRanksTrainOneNetwork wants the same bits of every weight from any number of ranks as from one
// process, without noise, and one network on all ranks with noise and Poisson samples.
func TestRanksTrainOneNetwork(t *testing.T) {
	all := len(ringData(t, ringSchema(t, 300), 300).Target())
	exact := func(s Sampling) func(*Request) {
		return func(r *Request) { r.Epsilon, r.Sampling, r.Epochs, r.Steps = math.Inf(1), s, 0, 6 }
	}
	for name, change := range map[string]func(*Request){
		"all":     exact(Sampling{Kind: option.SamplingFull}),
		"poisson": func(*Request) {},
		"largest size": func(r *Request) {
			r.Sampling = Sampling{Kind: option.SamplingTruncated, Probability: 0.1, BatchSize: 40}
		},
		"batches": func(r *Request) {
			r.Sampling, r.Neighboring = Sampling{Kind: option.SamplingFixedSize, BatchSize: 40}, privacy.ReplaceOne
		},
		"batch of all": func(r *Request) {
			exact(Sampling{Kind: option.SamplingFixedSize, BatchSize: all})(r)
			r.Neighboring = privacy.ReplaceOne
		},
	} {
		r := ask()
		r.Epochs = 2
		change(&r)
		private := !math.IsInf(r.Epsilon, 1)
		s := ringSchema(t, 300)
		setup, d := setupOf(t, r, s), ringData(t, s, 300)
		o := Options{}
		if !private {
			o.Initial = make([]float32, setup.Network.Weights())
			setup.Network.Init(o.Initial, 7)
		}
		alone, err := Fit(context.Background(), budget(t, r), setup, d, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 3, 8} {
			results := make([]*Result, size)
			for rank, err := range togethertest.Run(size, "plan", func(ctx context.Context, rank int) (err error) {
				var own []int
				for i := rank; i < d.Records(); i += size {
					own = append(own, i)
				}
				results[rank], err = Fit(ctx, budget(t, r), setup, d.Take(own), o)
				return err
			}) {
				if err != nil {
					t.Fatalf("rank %d of %d: %v", rank, size, err)
				}
			}
			for rank, result := range results {
				want := results[0]
				if !private {
					want = alone
				}
				if !slices.Equal(result.Model.NetworkWeights(), want.Model.NetworkWeights()) {
					t.Errorf("%s: rank %d of %d has another network", name, rank, size)
				}
			}
		}
	}
}

// TestNetworksOfOneProcessAreRefused wants plans that several processes cannot train to be refused
// before anything is spent.
func TestNetworksOfOneProcessAreRefused(t *testing.T) {
	s := ringSchema(t, 300)
	for name, change := range map[string]func(*Request){
		"micro-batches": func(r *Request) { r.Clipping.MicroBatch = 4 },
		"correlated noise": func(r *Request) {
			r.Correlation, r.Sampling = option.CorrelatedTree, Sampling{Kind: option.SamplingShuffle, Parts: 5}
		},
	} {
		r := ask()
		change(&r)
		setup, err := NewSetup(r, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, err := range togethertest.Run(2, name, func(ctx context.Context, _ int) error {
			l := budget(t, r)
			_, err := Fit(ctx, l, setup, ringData(t, s, 100), Options{})
			if err == nil || len(l.Event()) != 0 {
				t.Errorf("%s: got error %v and %v, want a refusal before anything is spent", name, err, l.Event())
			}
			return nil
		}) {
			if err != nil {
				t.Error(err)
			}
		}
	}
}
