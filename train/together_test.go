package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/together/togethertest"
	"github.com/ditherml/dither/privacy"
)

// onRanks trains on each rank, and returns results and errors by rank.
func onRanks(size int, plan string, fit func(ctx context.Context, rank int) (*Result, error)) ([]*Result, []error) {
	results := make([]*Result, size)
	return results, togethertest.Run(size, plan, func(ctx context.Context, rank int) (err error) {
		results[rank], err = fit(ctx, rank)
		return err
	})
}

// fixedSize asks for batches of this many records, of as many.
func fixedSize(records int) func(*Request, *data.Schema) {
	return func(r *Request, s *data.Schema) {
		r.Person, r.BatchSize, r.Neighboring, s.Records = nil, records, privacy.ReplaceOne, records
	}
}

// TestMoreRecordsThanABatchIsOfAreRefused wants an error from every rank when the ranks together hold
// more records than the declared number, from which batches of a fixed size are drawn.
func TestMoreRecordsThanABatchIsOfAreRefused(t *testing.T) {
	d := diary(t, []string{"a", "b", "c", "d"}, rand.New(rand.NewPCG(26, 4)))
	for rows := 2; rows <= 4; rows++ { // of each of two ranks, and 6 are declared
		s := diaryPlan(t, 2, fixedSize(6))
		_, errs := onRanks(2, "fixed size", func(ctx context.Context, _ int) (*Result, error) {
			return Fit(ctx, singleUnder(t, 2, s.Plan.Neighboring), s, d.Take([]int{0, 1, 2, 3}[:rows]), Options{})
		})
		for rank, err := range errs {
			if (err == nil) != (rows <= 3) {
				t.Errorf("rank %d of 2 with %d rows each: %v", rank, rows, err)
			}
		}
	}
}

// TestRanksTrainAsOneProcess wants the same bits of every weight from any number of ranks as from one
// process, without noise: preparation, steps, and the part that is held out of persons and rows alike.
func TestRanksTrainAsOneProcess(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 1))
	who := make([]string, 400)
	for i := range who {
		who[i] = fmt.Sprint("p", r.IntN(150))
	}
	d := diary(t, who, r)
	for name, change := range map[string]func(*Request, *data.Schema){
		"rows":            func(r *Request, _ *data.Schema) { r.Person = nil },
		"whitened rows":   func(r *Request, _ *data.Schema) { r.Person, r.Whiten, r.Center = nil, Yes, Yes },
		"balanced rows":   func(r *Request, _ *data.Schema) { r.Person, r.Balance = nil, true },
		"persons":         func(*Request, *data.Schema) {},
		"parts of rows":   func(r *Request, _ *data.Schema) { r.Person, r.Parts = nil, 1 },
		"batch of all":    fixedSize(len(who)),
		"clipped by norm": func(r *Request, _ *data.Schema) { r.Person, r.ClippingNorm = nil, 0.1 },
	} {
		s := diaryPlan(t, math.Inf(1), change)
		alone, err := Fit(context.Background(), singleUnder(t, math.Inf(1), s.Plan.Neighboring), s, d, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, size := range []int{1, 2, 3, 4, 8} {
			parts := make([][]int, size)
			for i, person := range who {
				k := (len(person) + int(person[len(person)-1])) % size
				parts[k] = append(parts[k], i)
			}
			results, errs := onRanks(size, name, func(ctx context.Context, rank int) (*Result, error) {
				return Fit(ctx, singleUnder(t, math.Inf(1), s.Plan.Neighboring), s, d.Take(parts[rank]), Options{})
			})
			for rank := range size {
				if errs[rank] != nil {
					t.Fatalf("%s: rank %d of %d: %v", name, rank, size, errs[rank])
				}
				if !slices.Equal(results[rank].Model.Weights(), alone.Model.Weights()) {
					t.Errorf("%s: rank %d of %d has other weights than one process", name, rank, size)
				}
			}
		}
	}
}

// TestRanksTrainPrivately wants one model on all ranks, of noisy steps and Poisson samples, and one
// reservation at each ledger.
func TestRanksTrainPrivately(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 2))
	who := make([]string, 300)
	for i := range who {
		who[i] = fmt.Sprint("p", i)
	}
	d := diary(t, who, r)
	for name, change := range map[string]func(*Request, *data.Schema){
		"full":       func(r *Request, _ *data.Schema) { r.Person = nil },
		"poisson":    func(r *Request, _ *data.Schema) { r.Person, r.SamplingProbability = nil, 0.2 },
		"parts":      func(r *Request, _ *data.Schema) { r.Person, r.Parts = nil, 3 },
		"fixed size": func(r *Request, s *data.Schema) { fixedSize(20)(r, s); r.BatchSize = 7 }, // two places are of no record
		"held out": func(r *Request, _ *data.Schema) {
			r.Person, r.Holdout = nil, &HoldoutRequest{Share: 0.3, Noise: "gaussian"}
		},
		"persons": func(*Request, *data.Schema) {},
	} {
		s := diaryPlan(t, 2, change)
		results, errs := onRanks(3, name, func(ctx context.Context, rank int) (*Result, error) {
			l := singleUnder(t, 2, s.Plan.Neighboring)
			out, err := Fit(ctx, l, s, d.Take([]int{rank, rank + 3, rank + 6, rank + 9, rank + 12, rank + 15}), Options{})
			if err == nil && len(l.Event()) != 1 {
				t.Errorf("%s: rank %d noted %v, want the plan once", name, rank, l.Event())
			}
			return out, err
		})
		for rank := range 3 {
			if errs[rank] != nil {
				t.Fatalf("%s: rank %d: %v", name, rank, errs[rank])
			}
			if !slices.Equal(results[rank].Model.Weights(), results[0].Model.Weights()) || !slices.Equal(results[rank].Evaluation, results[0].Evaluation) {
				t.Errorf("%s: rank %d has another model than the root", name, rank)
			}
		}
	}
}

// TestPlansOfOneProcessAreRefused wants plans that several processes cannot train to be refused before
// anything is spent.
func TestPlansOfOneProcessAreRefused(t *testing.T) {
	d := diary(t, []string{"a", "b"}, rand.New(rand.NewPCG(26, 3)))
	for name, change := range map[string]func(*Request, *data.Schema){
		"private radius": func(r *Request, _ *data.Schema) { r.Person, r.PrivateRadius = nil, true },
	} {
		schema := diarySchema(t)
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 3}
		change(&r, schema)
		s, err := NewPlan(r, schema)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, errs := onRanks(2, name, func(ctx context.Context, _ int) (*Result, error) {
			l := single(t, 2)
			out, err := Fit(ctx, l, s, d, Options{})
			if len(l.Event()) != 0 {
				t.Errorf("%s: %v was reserved", name, l.Event())
			}
			return out, err
		})
		if errs[0] == nil || errs[1] == nil {
			t.Errorf("%s is trained by two ranks", name)
		}
	}
}
