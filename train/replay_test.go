//go:build long

package train

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// replayVariable says that every stream has one fixed key, as the test of that name in the root
// arranges by an overlay; without it a replay makes no sense.
const replayVariable = "DITHER_TEST_REPLAY"

// TestReplayWithAnUnsampledRecord trains twice on one stream, the second time with one record
// more that is in no sample: every bit of the model must be the same (after Cebere et al.,
// "Re:cord-play", 2026, https://arxiv.org/abs/2602.17454).
func TestReplayWithAnUnsampledRecord(t *testing.T) {
	if os.Getenv(replayVariable) == "" {
		t.Skip("streams have keys of their own: run by TestReplayUnderOneKey in the root")
	}
	const n, q = 900, 0.1
	sampling, err := release.Poisson(q)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := release.Draw(sampling, n+1)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := release.Draw(sampling, n+1); !slices.Equal(again.Indices(), sample.Indices()) || slices.Contains(sample.Indices(), n) || len(sample.Indices()) == 0 {
		t.Fatal("want one fixed sample, not empty, without the last record")
	}
	s := toySchema(t)
	s.Records = n
	r := Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, SamplingProbability: q, Steps: 30, Center: No, Whiten: No}
	weights := func(records int) []float64 {
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		all := toyData(t, s, n+1)
		columns := make([][]float32, 3)
		for j := range columns {
			columns[j] = all.Column(j)[:records]
		}
		d, err := data.New(s, columns, all.Target()[:records])
		if err != nil {
			t.Fatal(err)
		}
		payer := payAll{}
		encoded, err := setup.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		ready, err := setup.prepare(payer, encoded)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := setup.descend(encoded, ready)
		if err != nil {
			t.Fatal(err)
		}
		run, err := newDescent(setup, Options{Momentum: 0.9}, payer, rows, table{}, ready)
		if err != nil {
			t.Fatal(err)
		}
		result, err := run.fit(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return result.Model.Weights()
	}
	one, two := weights(n), weights(n+1)
	for j := range one {
		if math.Float64bits(one[j]) != math.Float64bits(two[j]) {
			t.Errorf("weight %d is %v, and %v with a record more that was never sampled", j, one[j], two[j])
		}
	}
}

// TestReplayCountsOneRecord learns the preparation twice on one stream, without a declared number of
// records, the second time with one record more: the noisy count moves by exactly one.
func TestReplayCountsOneRecord(t *testing.T) {
	if os.Getenv(replayVariable) == "" {
		t.Skip("streams have keys of their own: run by TestReplayUnderOneKey in the root")
	}
	s := toySchema(t)
	setup, err := NewPlan(Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: No, Whiten: No}, s)
	if err != nil {
		t.Fatal(err)
	}
	count := func(records int) float64 {
		d := toyData(t, s, records)
		encoded, failed := setup.encode(d, 0)
		if failed != nil {
			t.Fatal(failed)
		}
		ready, failed := setup.prepare(payAll{}, encoded)
		if failed != nil {
			t.Fatal(failed)
		}
		return ready.divisor
	}
	if one, two := count(900), count(901); math.Abs(two-one-1) > 1e-6 || one == 900 {
		t.Errorf("the noisy count is %v, and %v with one record more", one, two)
	}
}

// payAll pays for everything.
type payAll struct{}

func (payAll) Pay(mechanism.Event) error { return nil }
