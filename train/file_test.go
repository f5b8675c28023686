package train

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// encoded writes a data set to a file in parts of a size.
func encoded(t *testing.T, s Setup, d *data.Dataset, size int, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := NewEncoder(s, o, &out)
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < d.Records(); from += size {
		if err = e.Append(d.Slice(from, min(from+size, d.Records()))); err != nil {
			t.Fatal(err)
		}
	}
	if err = e.Close(nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rich returns a ledger without a limit.
func rich(t *testing.T, n privacy.Neighboring) *ledger.Ledger {
	t.Helper()
	g, err := privacy.NewGuarantee(math.Inf(1), 1e-6, n, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestFitFileIsFit trains without privacy on rows in memory and in a file: the same bits, on all records
// and on parts, with 8 and 16 bits.
func TestFitFileIsFit(t *testing.T) {
	s := toySchema(t)
	d := toyData(t, s, 700)
	s.Records = 700
	for _, bits := range []int{8, 16} {
		r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: Yes, Whiten: No, Steps: 20, PrivateRadius: bits == 16}
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Momentum: 0.9, FeatureBits: bits}
		fit := func(run func(*ledger.Ledger) (*Result, error)) []float64 {
			result, failed := run(rich(t, setup.Plan.Neighboring))
			if failed != nil {
				t.Fatal(failed)
			}
			return result.Model.Weights()
		}
		want := fit(func(l *ledger.Ledger) (*Result, error) { return Fit(context.Background(), l, setup, d, o) })
		text := encoded(t, setup, d, 101, o)
		got := fit(func(l *ledger.Ledger) (*Result, error) {
			return FitFile(context.Background(), l, setup, bytes.NewReader(text), int64(len(text)), o)
		})
		for j := range want {
			if math.Float64bits(got[j]) != math.Float64bits(want[j]) {
				t.Fatalf("%d bits: weight %d is %v from a file, %v from memory", bits, j, got[j], want[j])
			}
		}
	}
}

// TestFitFileRefusals holds what is refused before anything is spent.
func TestFitFileRefusals(t *testing.T) {
	s := toySchema(t)
	s.Records = 300
	d := toyData(t, s, 300)
	plan := func(change func(*Request)) Setup {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.ReplaceOne, Center: Yes, Whiten: No, Steps: 20}
		change(&r)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		return setup
	}
	text := encoded(t, plan(func(*Request) {}), d.Slice(0, 299), 100, Options{})
	few := plan(func(*Request) {})
	few.Plan.MaxRecords, few.Plan.Records = 200, 200
	for name, setup := range map[string]Setup{
		"whitening":           plan(func(r *Request) { r.Whiten = Yes }),
		"a batch of too few":  plan(func(r *Request) { r.Epsilon, r.BatchSize = math.Inf(1), 30 }),
		"more than the bound": few,
	} {
		l := rich(t, privacy.ReplaceOne)
		if _, err := FitFile(context.Background(), l, setup, bytes.NewReader(text), int64(len(text)), Options{}); err == nil {
			t.Errorf("%s: got a model, want an error", name)
		}
	}
	if _, err := FitFile(context.Background(), rich(t, privacy.ReplaceOne), plan(func(*Request) {}), bytes.NewReader(text[:len(text)-1]), int64(len(text)-1), Options{}); err == nil {
		t.Error("a file that was cut was taken")
	}
}
