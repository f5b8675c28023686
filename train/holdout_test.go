package train

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// holdoutPlan is a plan over the diary with a part held out, of persons or rows.
func holdoutPlan(t *testing.T, persons bool, share float64) Setup {
	t.Helper()
	return personPlan(t, 1, func(r *Request) {
		r.Holdout = &HoldoutRequest{Share: share}
		if !persons {
			r.Person = nil
		}
	})
}

// TestSplitDividesTheRecords draws splits: every row is in one part, all rows of a person in the same one,
// and the number held out is within 6 standard deviations of its mean (false alarms below 2e-9).
func TestSplitDividesTheRecords(t *testing.T) {
	names := make([]string, 4000)
	for i := range names {
		names[i] = "p" + string(rune('a'+i%26)) + string(rune('a'+i/26%26))
		if i%50 == 7 {
			names[i] = ""
		}
	}
	d := diary(t, names, rand.New(rand.NewPCG(1, 1)))
	codes, levels, err := d.Group("who")
	if err != nil {
		t.Fatal(err)
	}
	for _, persons := range []bool{false, true} {
		s := holdoutPlan(t, persons, 0.3)
		drawn, of := 0.0, 0.0
		for range 5 {
			trained, held, failed := s.split(d)
			if failed != nil {
				t.Fatal(failed)
			}
			all := append(slices.Clone(trained), held...)
			slices.Sort(all)
			if len(all) != d.Records() || len(slices.Compact(all)) != d.Records() {
				t.Fatalf("persons %v: %d and %d rows, want %d in one part each", persons, len(trained), len(held), d.Records())
			}
			if !persons {
				drawn, of = drawn+float64(len(held)), of+float64(d.Records())
				continue
			}
			out := map[int32]bool{}
			for _, i := range held {
				out[codes[i]] = true
			}
			for _, i := range trained {
				if codes[i] >= 0 && out[codes[i]] {
					t.Fatalf("the rows of one person are in both parts")
				}
			}
			if out[-1] {
				t.Fatal("a row of no person is held out")
			}
			drawn, of = drawn+float64(len(out)), of+float64(len(levels))
		}
		if z := (drawn - 0.3*of) / math.Sqrt(0.21*of); math.Abs(z) > 6 {
			t.Errorf("persons %v: %v of %v are held out, want 0.3", persons, drawn, of)
		}
	}
}

// TestPartHangsOnTheOwnCoin fixes the coins and changes one record, in content and in its number of rows, and
// adds others behind it: no other record changes its part.
func TestPartHangsOnTheOwnCoin(t *testing.T) {
	coins := func(records int) ([]int, error) {
		var out []int
		for i := range records {
			if i*2654435761%7 < 3 {
				out = append(out, i)
			}
		}
		return out, nil
	}
	r := rand.New(rand.NewPCG(2, 2))
	names := strings.Split("ann bob eve ann kim bob lea ann max eve tom", " ")
	for _, persons := range []bool{false, true} {
		s := holdoutPlan(t, persons, 0.3)
		parts := func(names []string) map[string]bool {
			d := diary(t, names, r)
			_, held, err := s.splitBy(d, coins)
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]bool{}
			for i, who := range names {
				key := who
				if !persons {
					key = string(rune('A' + i))
				}
				out[key] = slices.Contains(held, i)
			}
			return out
		}
		want := parts(names)
		seen := map[bool]bool{}
		for _, v := range want {
			seen[v] = true
		}
		if len(seen) != 2 {
			t.Fatal("the coins hold nothing out, or all")
		}
		for change, others := range map[string][]string{
			"content": names, "fewer rows at the end": names[:8], "more persons": append(slices.Clone(names), "zoe", "ian"),
			"more rows of a person": append(slices.Clone(names), "bob", "bob", "bob"),
		} {
			got := parts(others)
			for who, part := range got {
				if before, known := want[who]; known && before != part {
					t.Errorf("persons %v, %s: record %s changed its part", persons, change, who)
				}
			}
		}
	}
}

// TestHoldoutCostsTheLarger compares the prices with those of the same training and evaluation alone.
func TestHoldoutCostsTheLarger(t *testing.T) {
	for _, noise := range []string{"laplace", "gaussian"} {
		for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
			request := func(h *HoldoutRequest) Setup {
				schema := diarySchema(t)
				schema.Records = 900
				setup, err := NewPlan(Request{Epsilon: 0.8, Delta: 1e-6, Neighboring: n, Steps: 12, Holdout: h}, schema)
				if err != nil {
					t.Fatal(err)
				}
				return setup
			}
			with, without := request(&HoldoutRequest{Share: 0.2, Noise: noise}), request(nil)
			c, err := with.Plan.Certificate()
			if err != nil {
				t.Fatal(err)
			}
			if e := float64(c.Epsilon); e > 0.8*(1+2e-4) || e < 0.8*(1-1e-3) {
				t.Errorf("%s, %v: the plan costs %v, want 0.8", noise, n, e)
			}
			if z := with.Plan.NoiseMultiplier / without.Plan.NoiseMultiplier; math.Abs(z-1) > 1e-3 {
				t.Errorf("%s, %v: the noise of training grows by %v, want none", noise, n, z)
			}
			back, err := mechanism.ParseEvent(c.Event)
			if err != nil || back.String() != with.Plan.Event().String() {
				t.Errorf("the event %s reads back as %v, %v", c.Event, back, err)
			}
		}
	}
}

// TestFitHoldout trains with a part held out under both units: the ledger pays for exactly that, and at a
// large epsilon the noisy number of records is that of the held-out part: within 6 deviations of the
// coins and of the noise (false alarms below 1e-8). The divisor has a deviation of 47 by both (60 runs), and 400 are more
// than 8 of these.
func TestFitHoldout(t *testing.T) {
	names := make([]string, 1200)
	for i := range names {
		names[i] = "p" + string(rune('a'+i/2%26)) + string(rune('a'+i/52))
	}
	d := diary(t, names, rand.New(rand.NewPCG(3, 3)))
	for _, persons := range []bool{false, true} {
		s := holdoutPlan(t, persons, 0.25)
		p := s.Plan.Holdout.Evaluation
		result, err := Fit(context.Background(), single(t, 1.001), s, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := evaluate.Measures(p, result.Evaluation)
		if err != nil {
			t.Fatal(err)
		}
		rows := 1.0
		if persons {
			rows = 2
		}
		noise := p.NoiseMultiplier * 1.1 * rows * math.Sqrt(2*float64(p.Numbers())) // one record adds at most 1.1 a row
		coins := rows * math.Sqrt(1200/rows*0.25*0.75)
		if got := float64(m.Classification.Records.Value); math.Abs(got-300) > 6*math.Hypot(noise, coins) {
			t.Errorf("persons %v: %v records are measured, want about 300", persons, got)
		}
		if want := (1 - 0.25) * 1200.0; !persons && math.Abs(result.Divisor-want) > 400 {
			t.Errorf("the divisor is %v, want about %v", result.Divisor, want)
		}
	}
}

// TestHoldoutOfFewRecords trains where a part may well be empty.
func TestHoldoutOfFewRecords(t *testing.T) {
	for _, names := range [][]string{{"ann"}, {"ann", "bob"}} {
		for _, share := range []float64{0.001, 0.999} {
			s := holdoutPlan(t, len(names) == 1, share)
			if _, err := Fit(context.Background(), single(t, 1.001), s, diary(t, names, rand.New(rand.NewPCG(4, 4))), Options{}); err != nil {
				t.Errorf("%d records, share %v: %v", len(names), share, err)
			}
		}
	}
}

func TestHoldoutIsRefused(t *testing.T) {
	schema := diarySchema(t)
	schema.Records = 900
	for name, change := range map[string]func(*Request){
		"share 0":           func(r *Request) { r.Holdout.Share = 0 },
		"share 1":           func(r *Request) { r.Holdout.Share = 1 },
		"share NaN":         func(r *Request) { r.Holdout.Share = math.NaN() },
		"no budget":         func(r *Request) { r.Epsilon = math.Inf(1) },
		"fixed size":        func(r *Request) { r.BatchSize, r.Neighboring = 100, privacy.ReplaceOne },
		"undeclared groups": func(r *Request) { r.Holdout.GroupColumn = "who" },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 12, Holdout: &HoldoutRequest{Share: 0.2}}
		change(&r)
		if _, err := NewPlan(r, schema); err == nil || name == "no budget" && !strings.Contains(err.Error(), "want a budget") {
			t.Errorf("%s was taken, or refused with %v", name, err)
		}
	}
	s := holdoutPlan(t, false, 0.2)
	if _, err := FitFile(context.Background(), single(t, 1.001), s, bytes.NewReader(nil), 0, Options{}); err == nil || !strings.Contains(err.Error(), "held out") {
		t.Errorf("rows in a file: %v", err)
	}
	d := diary(t, []string{"ann"}, rand.New(rand.NewPCG(5, 5)))
	if _, err := FitMany(context.Background(), single(t, 1.001), []Run{{Setup: s}}, d); err == nil || !strings.Contains(err.Error(), "out") {
		t.Errorf("several models: %v", err)
	}
	for name, edit := range map[string]func(p *Plan){
		"delta":    func(p *Plan) { p.Delta = 1e-5 },
		"relation": func(p *Plan) { p.Neighboring = privacy.ZeroOut },
		"unit":     func(p *Plan) { p.Unit = "one month" },
		"records":  func(p *Plan) { p.MaxRecords++ },
		"persons":  func(p *Plan) { p.Person = &PersonUnit{"who", 3} },
	} {
		p := s.Plan
		if edit(&p); p.Validate() == nil {
			t.Errorf("another %s than that of the evaluation was taken", name)
		}
	}
}

// single is a ledger for one plan of this epsilon.
func single(t *testing.T, epsilon float64) *ledger.Ledger {
	t.Helper()
	return singleUnder(t, epsilon, privacy.AddOrRemoveOne)
}

// singleUnder is single for a neighboring relation.
func singleUnder(t *testing.T, epsilon float64, n privacy.Neighboring) *ledger.Ledger {
	t.Helper()
	limit, err := privacy.NewGuarantee(epsilon, 1e-6, n, privacy.Unit{Row: "one record"})
	if err != nil {
		t.Fatal(err)
	}
	return newSingle(t, limit)
}

func newSingle(t *testing.T, limit privacy.Guarantee) *ledger.Ledger {
	t.Helper()
	l, err := ledger.NewSingle(limit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
