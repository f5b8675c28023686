package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
)

// joinedText is a schema of two tables. The number of records divides the sums of gradients.
const joinedText = `dither-schema: 1
row: one person
records: 20
max-records: 1000
target: {column: ill, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  person: ignore
  age: {numeric: [0, 100]}
related:
  visits:
    key: person
    max-rows: 3
    order-by: day
    columns:
      cost: {numeric: [0, 10]}
      ward: {levels: [a, b]}
    features:
      visits: {count: true}
      cost-sum: {sum: cost}
      cost-mean: {mean: cost}
      ward-last: {last: ward}
`

// twoTables are the rows of people and of visits as CSV, by person.
type twoTables map[string][2]string

func randomPerson(r *rand.Rand, person string) (rows [2]string) {
	for range []int{1, 1, 1, 0, 2}[r.IntN(5)] {
		rows[0] += fmt.Sprintf("%s,%d,%s\n", person, r.IntN(120), []string{"no", "yes"}[r.IntN(2)])
	}
	for range r.IntN(6) {
		rows[1] += fmt.Sprintf("%s,%d,%d,%s\n", person, r.IntN(4), r.IntN(12), []string{"a", "b", "", "c"}[r.IntN(4)])
	}
	return rows
}

// write writes the tables into a folder with their rows in random order.
func (d twoTables) write(t *testing.T, r *rand.Rand, folder string) data.Source {
	t.Helper()
	paths := [2]string{filepath.Join(folder, "people.csv"), filepath.Join(folder, "visits.csv")}
	for i, header := range []string{"person,age,ill\n", "person,day,cost,ward\n"} {
		var lines []string
		for _, rows := range d {
			for line := range strings.Lines(rows[i]) {
				lines = append(lines, line)
			}
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if err := os.WriteFile(paths[i], []byte(header+strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return data.Source{Path: paths[0], Related: map[string]data.Source{"visits": {Path: paths[1]}}}
}

// TestJoinedSumsMoveByTheBound trains one step without noise on databases of two tables with and without one person,
// in random order: 100 pairs, or 10,000 with the tag long. The sum of clipped gradients moves by at most the clipping
// norm, up to the rounding of weights to single precision, and for some pairs by nearly as much.
func TestJoinedSumsMoveByTheBound(t *testing.T) {
	const clipping, divisor = 0.4, 20
	s, err := data.ParseSchema("s", []byte(joinedText))
	if err != nil {
		t.Fatal(err)
	}
	setup, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 1, ClippingNorm: clipping, Center: No, Whiten: No}, s)
	if err != nil {
		t.Fatal(err)
	}
	r, folder := rand.New(rand.NewPCG(4, 25)), t.TempDir()
	sum := func(d twoTables) (weights []float64, records int) {
		table, err := data.Read(context.Background(), s, d.write(t, r, folder), data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), setup, table, Options{LearningRate: 1})
		if err != nil {
			t.Fatal(err)
		}
		return result.Model.Weights(), table.Records()
	}
	most, moved := 0.0, 0
	for range joinedPairs {
		d := twoTables{"fixed": {"fixed,1,no\n", ""}}
		for person := range 5 {
			d[fmt.Sprint(person)] = randomPerson(r, fmt.Sprint(person))
		}
		with, n := sum(d)
		delete(d, fmt.Sprint(r.IntN(5)))
		without, m := sum(d)
		if n-m < 0 || n-m > 1 {
			t.Fatalf("a person has %d records, want at most 1", n-m)
		}
		distance := 0.0
		for j := range with {
			distance = math.Hypot(distance, divisor*(with[j]-without[j]))
		}
		if distance > clipping*(1+1e-6) || n == m && distance != 0 {
			t.Fatalf("the sum moves by %v with %d records more, want at most %v", distance, n-m, clipping)
		}
		most = max(most, distance)
		moved += n - m
	}
	if most < 0.9*clipping || moved < joinedPairs/3 || moved > joinedPairs*9/10 {
		t.Errorf("the sum moves by %v at most, in %d pairs of %d, want nearly %v", most, moved, joinedPairs, clipping)
	}
	t.Logf("%d pairs: the sum moves in %d of them, by at most %v of %v", joinedPairs, moved, most, clipping)
}
