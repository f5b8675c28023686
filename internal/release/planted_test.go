package release

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// planting is a run with one fault, or none. It reports whether the fault changed what would be
// released, or let a record pass its bound, and whether the run was stopped.
type planting func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool)

// noFault names true runs.
const noFault = "none"

// plantings are all kinds of sums, and what is planted in each.
func plantings() map[string]map[string]planting {
	all := map[string]map[string]planting{"group": plantedGroups(), "scores": plantedScores(), "last iterate": plantedRecursions(), "products": plantedProducts(),
		"unkept moments": plantedPairs(), "minimizers": plantedMinimizers(), "file": plantedFiles(), "file blocks": plantedBlocks()}
	maps.Copy(all, plantedSums())
	maps.Copy(all, plantedVectors())
	maps.Copy(all, plantedMoments())
	maps.Copy(all, plantedStorage())
	return all
}

// plantedVariable says that TestPlantedFaultsStopTheRun runs in a copy of the test program, at a
// level of its own.
const plantedVariable = "DITHER_TEST_PLANTED"

// TestPlantedFaultsStopTheRun plants each fault into each kind of sum where it can be, at each
// level of the processor. A fault that changes what would be released stops the run, and no other
// run stops. A fault is missed with a probability below 2^-59, so that the test fails by chance
// with one below 1e-11. True runs, of adversarial data, never stop.
func TestPlantedFaultsStopTheRun(t *testing.T) {
	table := plantAll(t)
	if fmt.Printf("at level %s\n%s\n", kernel.Instructions(), strings.Join(table, "\n")); os.Getenv(plantedVariable) != "" {
		return
	}
	_, kinds, _ := strings.Cut(flag.Lookup("test.run").Value.String(), "/")
	for _, level := range []string{"portable", "avx2", "avx512"} {
		if level == kernel.Instructions() {
			return
		}
		c := exec.Command(os.Args[0], "-test.run=^TestPlantedFaultsStopTheRun$/"+kinds, fmt.Sprintf("-test.short=%v", testing.Short()))
		c.Env = append(os.Environ(), plantedVariable+"=1", "DITHER_PROCESSOR="+level)
		out, err := c.CombinedOutput()
		text := string(out)
		lost := func(row string) bool {
			return !strings.HasPrefix(row, "| "+noFault) && !strings.Contains(text, row+"\n")
		}
		if err != nil || !strings.HasPrefix(text, "at level "+level+"\n") || slices.ContainsFunc(table, lost) {
			t.Errorf("%s: %v\n%s", level, err, text)
		}
	}
}

// plantAll plants all faults, and returns how many of each stopped the run, and in which kinds.
func plantAll(t *testing.T) (table []string) {
	all, found, kinds := plantings(), map[string]int{}, map[string][]string{}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		t.Run(kind, func(t *testing.T) {
			for fault, plant := range all[kind] {
				found[fault] += plantEach(t, kind, fault, plant)
				kinds[fault] = append(kinds[fault], kind)
			}
		})
	}
	for _, fault := range slices.Sorted(maps.Keys(found)) {
		table = append(table, fmt.Sprintf("| %s | %s | %d |", fault, strings.Join(kinds[fault], ", "), found[fault]))
	}
	return table
}

// plantEach plants one fault into one kind of sum, and returns how often it stopped the run, or how
// many true runs there were.
func plantEach(t *testing.T, kind, fault string, plant planting) (found int) {
	r, want := rand.New(rand.NewPCG(4, 16)), plantedTrials(20, 1000)
	if fault == noFault && os.Getenv(plantedVariable) == "" { // levels give the same sums
		want = plantedTrials(40, 100000)
	}
	for trial := 0; found < want; trial++ {
		if trial == 60*want {
			t.Fatalf("%s in %s: %d of %d trials were faults, want %d", fault, kind, found, trial, want)
		}
		changed, stopped := plant(t, r, trial)
		if changed != stopped || fault == noFault && stopped {
			t.Fatalf("%s in %s, trial %d: the run stops: %v, want %v", fault, kind, trial, stopped, changed)
		}
		if changed || fault == noFault {
			found++
		}
	}
	return found
}

// TestPageCountsPlantedFaults holds the table of docs/planted-faults.md to the faults that are planted,
// and to the number of kinds of sums that each is planted into.
func TestPageCountsPlantedFaults(t *testing.T) {
	text, err := os.ReadFile("../../docs/planted-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, faults := range plantings() {
		for fault := range faults {
			kinds[fault]++
		}
	}
	for fault, n := range kinds {
		if row := fmt.Sprintf("\n| %s | %d |", fault, n); fault != noFault && !strings.Contains(string(text), row) {
			t.Errorf("the page has no row %q, want one for each fault", row[1:])
		}
	}
	if rows := strings.Count(string(text), "000 | `"); rows != len(kinds)-1 {
		t.Errorf("the page has %d rows, want %d", rows, len(kinds)-1)
	}
	if all := fmt.Sprintf("100,000 of each of %d kinds", kinds[noFault]); !strings.Contains(string(text), all) {
		t.Errorf("the page does not say %q", all)
	}
}

// stops reports whether a sum is refused, which another error must not be.
func stops(t *testing.T, b Bounded, err error) bool {
	t.Helper()
	if err == nil && b.state != nil {
		_, err = release(free{}, b.state)
	}
	if err != nil && !errors.Is(err, ErrComputation) {
		t.Fatal(err)
	}
	return err != nil
}

// kernelFaults plant a fault into the kernels that sum rows of a type and a frame.
func kernelFaults(run func(plant func(f *fault)) planting) map[string]planting {
	all := map[string]planting{noFault: run(func(f *fault) { f.wait = -1 })}
	for name, do := range sumFaults {
		all[name] = run(func(f *fault) { f.sum, f.wait = do, f.r.IntN(4) })
	}
	for name, do := range moveFaults {
		all[name] = run(func(f *fault) { f.move, f.wait = do, f.r.IntN(2) })
	}
	return all
}

// plantedSums are sums over rows in their own frame, in others, and whitened ones.
func plantedSums() map[string]map[string]planting {
	all := map[string]map[string]planting{}
	var whitenedRows func(t *testing.T, r *rand.Rand, trial int) *Rows
	for kind, choose := range map[string]func(f Standardization) bool{
		"sum":          func(f Standardization) bool { return f.own() },
		"framed sum":   func(f Standardization) bool { return !f.own() && f.Whitening == nil },
		"whitened sum": func(f Standardization) bool { return f.Whitening != nil },
	} {
		some := func(t *testing.T, r *rand.Rand, trial int) *Rows {
			const n, dim = 17, 5
			var f []Standardization
			for _, v := range frames(r, dim) {
				if choose(v) {
					f = append(f, v)
				}
			}
			kind := rowTypes[trial%len(rowTypes)]
			return typedRows(t, coordinates(r, kind, n, dim), kind, f[r.IntN(len(f))], 0, n)
		}
		if kind == "whitened sum" {
			whitenedRows = some
		}
		all[kind] = kernelFaults(func(plant func(f *fault)) planting {
			return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
				rows, columns := some(t, r, trial), 1+trial%3
				s, p := fullSample(t, rows.count), proposed(r, rows.count*columns)
				want := filled(t, rows, s, columns, p).Seal()
				if stops(t, want, nil) {
					return false, true
				}
				f := &fault{r: r}
				plant(f)
				rows.x, rows.form = broken{rows.x, f}, broken{rows.form, f}
				got := filled(t, rows, s, columns, p).Seal()
				return !slices.Equal(got.state.values, want.state.values), stops(t, got, nil)
			}
		})
		all[kind]["a wrong n2"] = plantedMeasures(some, func(r *rand.Rand, _ *Rows, m *measures, i int) { m.n2[i] -= 1 + m.n2[i]>>16 + r.Int64N(9) })
		all[kind]["a wrong frame or whitened row"] = plantedMeasures(some, func(r *rand.Rand, _ *Rows, m *measures, i int) {
			switch {
			case m.betas != nil && r.IntN(3) > 0:
				m.betas[i] += 1 - 2*r.Int32N(2)
			case m.tails != nil:
				m.tails[i]++
			case m.multipliers != nil:
				m.multipliers[i] *= 2
			}
		})
		all[kind]["a record lost by the frame"] = plantedMeasures(some, func(_ *rand.Rand, _ *Rows, m *measures, i int) { m.set(i, rowMeasures{}) })
		all[kind]["integers beyond the bound"] = plantedBeyond(some)
		all[kind]["a row measured twice"] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			rows := some(t, r, trial)
			i := r.IntN(rows.count)
			return true, stops(t, Bounded{}, rows.measureSome(rows.measures.part(i, 1), lying{rows.x.Part(i, 1)}, i))
		}
	}
	delete(all["sum"], "a wrong frame or whitened row")
	all["whitened sum"]["a norm that is too small"] = plantedMeasures(whitenedRows, func(_ *rand.Rand, rows *Rows, m *measures, i int) {
		y2 := m.n2[i] - m.tail(i)*m.tail(i)
		if y2 -= y2>>16 + 1; y2 > 0 {
			m.set(i, rows.frame.finishUnit(rowMeasures{beta: m.beta(i)}, y2, math.Sqrt(float64(y2))))
		}
	})
	all["whitened sum"]["a wrong product with the matrix"] = plantedTurns
	return all
}

// plantedMeasures lets kernels measure a row wrongly.
func plantedMeasures(some func(t *testing.T, r *rand.Rand, trial int) *Rows, do func(r *rand.Rand, rows *Rows, m *measures, i int)) planting {
	return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		rows := some(t, r, trial)
		i, m := r.IntN(rows.count), rows.frame.newMeasures(rows.count, measures{})
		all := make([]int, rows.count)
		for k := range all {
			all[k] = k
		}
		m.pick(rows.measures, all, 0)
		do(r, rows, &m, i)
		changed = !slices.Equal(m.n2, rows.measures.n2) || !slices.Equal(m.betas, rows.measures.betas) || !slices.Equal(m.tails, rows.measures.tails) || !slices.Equal(m.multipliers, rows.measures.multipliers)
		rows.known = newEntered(rows.count)
		seen := &framedRows{rows: rows, m: &m, k: i}
		if w := rows.frame.whitener; w != nil {
			seen.whitened = w.products(rows.row(i))
		}
		var v rowCheck
		if !rows.frame.own() {
			v = seen
		}
		return changed, stops(t, Bounded{}, rows.enterRow(m.n2[i], i, v))
	}
}

// products returns the product of a row with the matrix.
func (t *whitener) products(x []int16) []int32 {
	out := make([]int32, t.dim)
	for k := range out {
		for j, v := range x {
			out[k] += int32(t.matrix[k*t.dim+j]) * int32(v)
		}
	}
	return out
}

// plantedTurns lets the kernel of whitened rows multiply wrongly: norms follow from wrong products,
// or are right.
func plantedTurns(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
	const n, dim = 17, 5
	kind := rowTypes[trial%len(rowTypes)]
	rows := typedRows(t, coordinates(r, kind, n, dim), kind, whitenedFrame(r, dim, 400, trial%2 == 0), 0, n)
	w, center := *rows.frame.whitener, make([]float64, dim)
	for k, v := range rows.frame.m {
		center[k] = float64(v)
	}
	matrix := slices.Clone(w.matrix)
	matrix[r.IntN(len(matrix))] += int16(1 + r.IntN(9))
	w.form = kernel.NewTurn(matrix, center, float64(int64(1)<<rows.frame.bits))
	wrong := w
	wrong.matrix = matrix
	for i := range n {
		changed = changed || rows.n2[i] > 0 && !slices.Equal(wrong.products(rows.row(i)), w.products(rows.row(i)))
	}
	rows.frame.whitener = &w
	return changed, stops(t, Bounded{}, rows.measure())
}

// plantedBeyond adds integers that pass the bound by as little as there is.
func plantedBeyond(some func(t *testing.T, r *rand.Rand, trial int) *Rows) planting {
	return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		rows := some(t, r, trial)
		s, i := newTestSum(t, rows, fullSample(t, rows.count), 1, 1, rows.count), r.IntN(rows.count)
		b, err := rows.Load(0, rows.count, Block{})
		if err != nil {
			t.Fatal(err)
		}
		q := make([]float64, rows.count)
		if q[i] = 1; b.n2[i] > 0 {
			q[i] = float64(mostOf(b.n2[i], 1, s.limit))
		}
		if trial%2 == 0 && b.n2[i] > 0 {
			return false, stops(t, Bounded{}, s.admit(q, 1, 1, &b))
		}
		q[i]++
		return true, stops(t, Bounded{}, s.admit(q, 1, 1, &b))
	}
}
