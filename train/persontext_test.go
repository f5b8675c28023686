package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/privacy"
)

// letters has rows of words of persons: each person writes one to five letters, which do not stand together.
func letters(t *testing.T, persons int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s, err := data.ParseSchema("letters.yaml", []byte(`
dither-schema: 1
row: one letter
max-records: 5000
target: {column: answered, levels: ["0", "1"]}
defaults: {missing: zero}
columns:
  who: ignore
  letter: {text: {buckets: 256}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 11))
	var lines []string
	for who := range persons {
		for range 1 + who%5 {
			var words []string
			for range r.IntN(12) { // a letter may be empty
				words = append(words, fmt.Sprint("word", r.IntN(40)))
			}
			lines = append(lines, fmt.Sprintf("p%d,%s,%d\n", who, strings.Join(words, " "), r.IntN(2)))
		}
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	d, err := data.ReadFrom(context.Background(), s, "letters.csv", strings.NewReader("who,letter,answered\n"+strings.Join(lines, "")), data.ReadOptions{Extra: []string{"who"}})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestPersonsOfTextsAreClippedOnce compares what each person adds to a gradient over rows of words with the textbook's:
// the sum of the gradients of the person's letters, clipped once. No vector is longer than the norm, and for some
// persons clipping letter by letter would give one that is.
func TestPersonsOfTextsAreClippedOnce(t *testing.T) {
	const norm = 0.4
	s, d := letters(t, 60)
	vectors := func(most int, clip float64) (*descent, [][]float64) {
		setup, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 3, ClippingNorm: clip, Center: No, Whiten: No, Person: &PersonUnit{Column: "who", MaxRows: most}}, s)
		if err != nil {
			t.Fatal(err)
		}
		tab, err := setup.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := setup.descend(tab, prepared{features: setup.Features})
		if err != nil {
			t.Fatal(err)
		}
		if most == 1 { // every row by itself
			tab.persons = nil
			for i := range d.Records() {
				tab.persons = append(tab.persons, []int{i})
			}
		}
		run, err := newDescent(setup, Options{LearningRate: 1}, payEverything{}, rows, tab, prepared{features: setup.Features, divisor: 1})
		if err != nil {
			t.Fatal(err)
		}
		for j := range run.weights {
			run.weights[j] = math.Sin(float64(j))
		}
		scorer, out := run.scorer(), make([][]float64, len(tab.persons))
		for k := range tab.persons {
			out[k] = make([]float64, setup.Plan.Dim)
			if err = run.persons.each(0, []int{k}, func(room *personRoom, owner []int) { run.proposePersons(out[k], room, owner, scorer) }); err != nil {
				t.Fatal(err)
			}
		}
		return run, out
	}
	run, got := vectors(4, norm)
	_, rows := vectors(1, 1e6)
	apart := 0
	for k, person := range run.persons.persons {
		want, separately := make([]float64, len(got[k])), make([]float64, len(got[k]))
		for _, row := range person {
			by := min(1, norm/max(kernel.Norm(rows[row]), 1e-300))
			for j, v := range rows[row] {
				want[j] += v
				separately[j] += by * v
			}
		}
		by := min(1, norm/max(kernel.Norm(want), 1e-300))
		for j := range want {
			want[j] = by*want[j] - got[k][j]
		}
		if off := kernel.Norm(want); off > 1e-9 || kernel.Norm(got[k]) > norm*(1+1e-12) || len(person) > 4 {
			t.Errorf("a person of %d letters adds a vector of norm %v that is %v off", len(person), kernel.Norm(got[k]), off)
		}
		if kernel.Norm(separately) > 1.5*norm {
			apart++
		}
	}
	if apart < 10 {
		t.Errorf("for %d persons clipping letter by letter is too long, want some", apart)
	}
}
