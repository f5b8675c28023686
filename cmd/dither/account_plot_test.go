package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestProfileIsAnUpperBound compares the chords with closed forms of the smallest delta: that
// of GDP, and 1 - e^((ε-ε0)/2) for one Laplace release that costs ε0 (Balle, Barthe & Gaboardi,
// "Privacy Amplification by Subsampling", NeurIPS 2018, theorem 3, on its profile).
func TestProfileIsAnUpperBound(t *testing.T) {
	for text, exact := range map[string]func(epsilon float64) float64{
		"laplace(0.5)": func(epsilon float64) float64 { return max(0, -math.Expm1((epsilon-2)/2)) },
		"gaussian(0.8)": func(epsilon float64) float64 {
			mu := 1 / 0.8
			return normal(mu/2-epsilon/mu) - math.Exp(epsilon)*normal(-mu/2-epsilon/mu)
		},
	} {
		q := question{event: parseEvent(t, text), neighboring: privacy.AddOrRemoveOne}
		p, ok := q.newProfile(account.PLD{Width: profileWidth})
		if !ok || len(p.epsilons) < 10 || p.epsilons[0] != 0 {
			t.Fatalf("%s: got profile %+v, want many points from 0", text, p)
		}
		for epsilon := 0.0; epsilon < 8; epsilon += 0.01 {
			got, want := p.at(epsilon), exact(epsilon)
			if got < want*(1-1e-9)-1e-15 || got > want+0.02 {
				t.Errorf("%s at epsilon %v: got delta %v, want at least %v and not far from it", text, epsilon, got, want)
			}
		}
		for i, epsilon := range p.epsilons {
			if got := p.at(epsilon); math.Abs(got-p.deltas[i]) > 1e-9 {
				t.Errorf("%s: got delta %v at its own epsilon %v, want %v", text, got, epsilon, p.deltas[i])
			}
		}
	}
}

// normal is the distribution function of the standard normal law.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// TestTradeOff compares with the exact curve of a Gaussian release, Φ(Φ⁻¹(1-fp) - μ) (Dong,
// Roth & Su, "Gaussian Differential Privacy", JRSS B 2022, equation 6).
func TestTradeOff(t *testing.T) {
	q := question{event: mechanism.Gaussian{NoiseMultiplier: 1}, neighboring: privacy.AddOrRemoveOne, delta: 1e-6, accountants: account.All()}
	prices, claimed, err := q.prices()
	if err != nil {
		t.Fatal(err)
	}
	trade, err := q.tradeOff(prices, claimed)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errorsOf(trade) {
		exact := normal(math.Sqrt2*math.Erfinv(1-2*e.FalsePositives) - 1)
		if e.FalsePositives == 1 {
			exact = 0
		}
		if e.FalseNegatives > exact+1e-12 || e.FalseNegatives < exact-0.01 {
			t.Errorf("at %v false positives: got %v false negatives, want at most %v and not far from it", e.FalsePositives, e.FalseNegatives, exact)
		}
	}
}

// TestAttackerIsTheLibrary holds the JSON to the risks of the claim, and the text to their words.
func TestAttackerIsTheLibrary(t *testing.T) {
	out := accountJSON(t, "gaussian(2)")
	stdout, _ := mustInvoke(t, "account", "gaussian(2)")
	alone := account.RiskOf(account.TradeOff{}, float64(out.Claim.Epsilon), out.Claim.Delta)
	if out.Attacker == nil || float64(out.Attacker.BayesFactor) != alone.BayesFactor || out.Attacker.PosteriorFromHalf != alone.PosteriorFromHalf {
		t.Fatalf("got %+v, want the factor %v and posterior %v", out.Attacker, alone.BayesFactor, alone.PosteriorFromHalf)
	}
	if out.Attacker.TruePositiveAt1 >= alone.TruePositiveAt1 || out.Attacker.TruePositiveAt1 <= 0.01 {
		t.Errorf("got %v true positives, want less than %v, which the claim alone proves", out.Attacker.TruePositiveAt1, alone.TruePositiveAt1)
	}
	for _, words := range out.Attacker.Words {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(words), " ")) {
			t.Errorf("got %s, want %q in it", stdout, words)
		}
	}
	if out = accountJSON(t, "gaussian(2)", "--delta", "0"); out.Attacker != nil {
		t.Errorf("got %+v beside an infinite epsilon, want nothing", out.Attacker)
	}
	if stdout, _ = mustInvoke(t, "account", "gaussian(2)", "--delta", "0"); !strings.Contains(stdout, "claim     none") {
		t.Errorf("got %s, want no claim", stdout)
	}
}

func TestGrowth(t *testing.T) {
	for text, c := range map[string]struct {
		total int
		first string
		whole bool
	}{
		"repeat(1000, gaussian(9))":                              {1000, "repeat(1, gaussian(9))", true},
		"repeat(1, repeat(7, gaussian(9)))":                      {7, "repeat(1, gaussian(9))", true},
		"sequence(gaussian(3), repeat(60, laplace(9)))":          {60, "sequence(gaussian(3), repeat(1, laplace(9)))", true},
		"sequence(gaussian(3), sequence(repeat(5, laplace(9))))": {5, "sequence(gaussian(3), sequence(repeat(1, laplace(9))))", true},
		"last-iterate(40, 0.9, 100)":                             {100, "last-iterate(40, 0.9, 1)", true},
		"last-iterate-convex(40, 2, 100)":                        {100, "last-iterate-convex(40, 2, 1)", true},
		"tree-aggregation(5, 33)":                                {33, "tree-aggregation(5, 1)", true},
		"banded-matrix(2, 8, 64, 1)":                             {64, "banded-matrix(2, 8, 1, 1)", true},
		"gaussian(1)":                                            {plotRuns, "repeat(1, gaussian(1))", false},
		"sequence(repeat(5, laplace(9)), gaussian(3))":           {plotRuns, "repeat(1, sequence(repeat(5, laplace(9)), gaussian(3)))", false},
		"sequence()":             {plotRuns, "repeat(1, sequence())", false},
		"repeat(0, gaussian(1))": {plotRuns, "repeat(1, repeat(0, gaussian(1)))", false},
		"repeat(1, gaussian(1))": {plotRuns, "repeat(1, repeat(1, gaussian(1)))", false},
		"repeat(1000000000, poisson(0.000001, gaussian(1000000)))": {1000000000, "repeat(1, poisson(1e-06, gaussian(1e+06)))", true},
	} {
		g := growthOf(parseEvent(t, text))
		if g.total != c.total || g.whole != c.whole || g.at(1).String() != c.first {
			t.Errorf("%s: got total %d, whole %v, first %v; want %+v", text, g.total, g.whole, g.at(1), c)
		}
		counts := g.counts()
		if counts[0] != 1 || counts[len(counts)-1] != g.total || len(counts) > plotPoints+1 || len(counts) < min(5, g.total) {
			t.Errorf("%s: got counts %v, want 1 to %d", text, counts, g.total)
		}
		for i := range counts[1:] {
			if counts[i] >= counts[i+1] {
				t.Errorf("%s: got counts %v, want them to grow", text, counts)
			}
		}
	}
}

// TestCosts: each point is the library's, and the last one is the answer.
func TestCosts(t *testing.T) {
	q := question{event: parseEvent(t, "sequence(gaussian(5), repeat(100, gaussian(20)))"), neighboring: privacy.AddOrRemoveOne, delta: 1e-6, accountants: account.All()}
	out := accounted{Delta: numberOf(q.delta)}
	var err error
	if out.Accountants, out.Claim, err = q.prices(); err != nil {
		t.Fatal(err)
	}
	points := q.costs(growthOf(q.event), out)
	for _, p := range points {
		want, refused := account.GDP{}.Epsilon(mechanism.Sequence{mechanism.Gaussian{NoiseMultiplier: 5}, steps(int(p.Count), 1, 20)}, 1e-6, privacy.AddOrRemoveOne)
		if refused != nil {
			t.Fatal(refused)
		}
		if math.Abs(p.Upper-want.Upper) > 1e-8*want.Upper || p.Lower > want.Upper || p.Lower < 0.99*want.Upper {
			t.Errorf("after %v steps: got %+v, want %+v", p.Count, p, want)
		}
	}
	if last := points[len(points)-1]; last.Count != 100 || last.Upper != float64(out.Claim.Epsilon) {
		t.Errorf("got %+v at last, want the claim %v after 100 steps", last, out.Claim.Epsilon)
	}
}

// TestCostsEndWithTheAnswer: the last point is as narrow as the answer, though the others are
// computed with less effort.
func TestCostsEndWithTheAnswer(t *testing.T) {
	q := question{event: steps(3, 0.1, 1.1), neighboring: privacy.AddOrRemoveOne, delta: 1e-5, accountants: []account.Accountant{account.PLD{}}}
	out := accounted{Delta: numberOf(q.delta)}
	var err error
	if out.Accountants, out.Claim, err = q.prices(); err != nil {
		t.Fatal(err)
	}
	points := q.costs(growthOf(q.event), out)
	last := points[len(points)-1]
	if last.Upper != float64(out.Claim.Epsilon) || last.Lower != float64(*out.Accountants[0].Lower) || last.Lower == 0 {
		t.Errorf("got %+v at last, want %+v", last, out.Accountants[0])
	}
}

func TestProfileAdd(t *testing.T) {
	p := profile{[]float64{0}, []float64{0.5}}
	for _, c := range [][2]float64{{1, 0.4}, {2, 0.45}, {math.Inf(1), 0.1}, {1, 0.3}, {3, 0.2}} {
		p.add(c[0], c[1])
	}
	if !slices.Equal(p.epsilons, []float64{0, 1, 3}) || !slices.Equal(p.deltas, []float64{0.5, 0.3, 0.2}) {
		t.Errorf("got %+v, want epsilon 0, 1, 3 at delta 0.5, 0.3, 0.2", p)
	}
}

func TestAccountPlot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plot.svg")
	args := []string{"account", "repeat(50, gaussian(20))", "--plot", path}
	stdout, _ := mustInvoke(t, args...)
	if !strings.Contains(stdout, "plot      "+printable(path)) {
		t.Errorf("got %s, want the name of the picture", stdout)
	}
	first := readFile(t, path)
	for _, want := range []string{"repeat(50, gaussian(20))", "steps", "ε in nats, at δ = 1e-6", "false positives", "a coin toss"} {
		if !strings.Contains(first, want) {
			t.Errorf("got a picture without %q", want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(first)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("got no XML: %v", err)
		}
	}
	if status, _, stderr := invoke(args...); status != exitUsage || !strings.Contains(stderr, "exists") {
		t.Errorf("got status %d, %s; want the old picture to stand", status, stderr)
	}
	mustInvoke(t, append(args, "--replace")...)
	if readFile(t, path) != first {
		t.Error("the same plot differs the second time")
	}
	mustInvoke(t, "account", "non-private()", "--plot", path, "--replace")
	if text := readFile(t, path); !strings.Contains(text, "There is no finite ε") {
		t.Error("a picture of no guarantee does not say so")
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPageAndExplanationAgree wants the report's table and the words of explain to bound an attacker by the same numbers,
// which are below those of epsilon and delta alone.
func TestPageAndExplanationAgree(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "model")
	args := []string{"train", "--steps", "5", "--epsilon", "1", "--out", folder}
	if thorough { // the curve of samples takes a second
		args = append(args, "--sampling-probability", "0.02")
	}
	mustInvoke(t, args...)
	var told explanation
	text, _ := mustInvoke(t, "explain", folder, "--json")
	if err := json.Unmarshal([]byte(text), &told); err != nil || told.Attacker == nil {
		t.Fatalf("got %s, %v, want an attacker", text, err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	upward := func(p float64) string { return fmt.Sprintf("%.1f %%", math.Ceil(1000*p-1e-9)/10) }
	right, named := (1+told.Attacker.Advantage)/2, told.Attacker.TruePositiveAt1
	want := fmt.Sprintf("at most %s are recognized where 1 %% are accused falsely, and at most %s of the answers", upward(named), upward(right))
	if !strings.Contains(strings.ReplaceAll(string(page), "\u00a0", " "), want) {
		t.Errorf("the page lacks %q, which explain says", want)
	}
	alone := account.RiskOf(account.TradeOff{}, float64(told.Claim.Epsilon), told.Claim.Delta)
	if !(right < (1+alone.Advantage)/2-0.05) || !(named < alone.TruePositiveAt1) {
		t.Errorf("right answers %v and recognized %v, want less than by epsilon and delta alone, %v and %v", right, named, (1+alone.Advantage)/2, alone.TruePositiveAt1)
	}
}

// TestKeptAttacker asks one keeper about certificates that differ in one thing each, and wants what each of them proves.
func TestKeptAttacker(t *testing.T) {
	base := certificate.Certificate{Private: true, Event: "gaussian(2)", Accountant: "gdp", Epsilon: 2.5, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	event, epsilon, delta, relation := base, base, base, base
	event.Event, epsilon.Epsilon, delta.Delta, relation.Neighboring = "gaussian(9)", 0.1, 0.01, privacy.ReplaceOne
	var kept keptAttacker
	seen := map[string]bool{}
	for _, c := range []certificate.Certificate{base, base, event, base, epsilon, base, delta, base, relation} {
		got, want := fmt.Sprint(kept.of(c)), fmt.Sprint(pageAttacker(c))
		if got != want {
			t.Errorf("%+v: got %s, want %s", c, got, want)
		}
		seen[kept.event+fmt.Sprint(kept.claim)] = true
	}
	if len(seen) != 5 {
		t.Errorf("got %d keys, want 5", len(seen))
	}
	if c := (certificate.Certificate{}); kept.of(c) != nil {
		t.Error("a baseline has an attacker, want none")
	}
}
