package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/rows"
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
	for from := 0; from == 0 || from < d.Records(); from += size {
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

// TestFitFileWithoutParts trains on a file to which no part was written, and on a table of it: the same bits
// as without records in memory, of rows and of persons.
func TestFitFileWithoutParts(t *testing.T) {
	toy := toySchema(t)
	d := someDiary(t)
	rowsPlan, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: Yes, Whiten: No, Steps: 5}, toy)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		setup Setup
		data  *data.Dataset
	}{
		"rows":    {rowsPlan, toyData(t, toy, 3).Slice(0, 0)},
		"persons": {personPlan(t, math.Inf(1), func(r *Request) { r.Person.MaxRows, r.Whiten = 3, No }), d.Slice(0, 0)},
	} {
		o := Options{Momentum: 0.9}
		want, failed := Fit(context.Background(), rich(t, c.setup.Plan.Neighboring), c.setup, c.data, o)
		if failed != nil {
			t.Fatalf("%s: %v", name, failed)
		}
		var out bytes.Buffer
		e, failed := NewEncoder(c.setup, o, &out)
		if failed == nil {
			failed = e.Close(nil)
		}
		if failed != nil {
			t.Fatalf("%s: %v", name, failed)
		}
		text := out.Bytes()
		got, failed := FitFile(context.Background(), rich(t, c.setup.Plan.Neighboring), c.setup, bytes.NewReader(text), int64(len(text)), o)
		if failed != nil {
			t.Fatalf("%s: %v", name, failed)
		}
		table, failed := ReadTable(c.setup, bytes.NewReader(text), int64(len(text)))
		if failed != nil {
			t.Fatalf("%s: %v", name, failed)
		}
		cached, failed := table.Fit(context.Background(), rich(t, c.setup.Plan.Neighboring), c.setup, o)
		if failed != nil || !sameBits(got.Model.Weights(), want.Model.Weights()) || !sameBits(cached.Model.Weights(), want.Model.Weights()) {
			t.Errorf("%s: got the weights %v from a file, and %v with error %v from a table, want %v", name, got.Model.Weights(), cached, failed, want.Model.Weights())
		}
	}
}

// TestBatchesOfEncodedRows trains without privacy with batches of all declared places. Some have no
// row: the same bits from rows in memory, in a file, and in tables of both. Private batches of some places are
// drawn too.
func TestBatchesOfEncodedRows(t *testing.T) {
	s := toySchema(t)
	s.Records = 300
	for _, epsilon := range []float64{math.Inf(1), 1} {
		r := Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.ReplaceOne, Center: Yes, Whiten: No, Steps: 5, BatchSize: 300}
		if epsilon == 1 {
			r.BatchSize = 30
		}
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int{0, 1, 299, 300} {
			d := toyData(t, s, 300).Slice(0, rows)
			ctx, o, text := context.Background(), Options{Momentum: 0.9}, encoded(t, setup, d, 101, Options{})
			table, err := NewTable(setup, d, 0)
			if err != nil {
				t.Fatal(err)
			}
			read, err := ReadTable(setup, bytes.NewReader(text), int64(len(text)))
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for k, fit := range []func(*ledger.Ledger) (*Result, error){
				func(l *ledger.Ledger) (*Result, error) { return Fit(ctx, l, setup, d, o) },
				func(l *ledger.Ledger) (*Result, error) {
					return FitFile(ctx, l, setup, bytes.NewReader(text), int64(len(text)), o)
				},
				func(l *ledger.Ledger) (*Result, error) { return table.Fit(ctx, l, setup, o) },
				func(l *ledger.Ledger) (*Result, error) { return read.Fit(ctx, l, setup, o) },
			} {
				l := rich(t, privacy.ReplaceOne)
				if epsilon == 1 {
					l = singleUnder(t, 1.001, privacy.ReplaceOne)
				}
				got, err := fit(l)
				if err != nil {
					t.Fatalf("%d of 300 rows, epsilon %v, way %d: %v", rows, epsilon, k, err)
				}
				if k == 0 {
					want = got.Model.Weights()
				}
				if weights := got.Model.Weights(); epsilon != 1 && !sameBits(weights, want) {
					t.Errorf("%d of 300 rows, way %d: weights are %v, want %v", rows, k, weights, want)
				}
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
	many := plan(func(r *Request) { r.Epsilon, r.BatchSize = math.Inf(1), 30 })
	many.Plan.Records = 298
	for name, setup := range map[string]Setup{
		"whitened samples":    plan(func(r *Request) { r.Whiten, r.SamplingProbability, r.Neighboring = Yes, 0.1, privacy.AddOrRemoveOne }),
		"squares":             plan(func(r *Request) { r.Whiten, r.Structure = Yes, option.StructureDiagonal }),
		"a batch of too many": many,
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

// TestFitFileWhitensAsFit trains without privacy on rows that are scaled by their frequencies, and on rows that are
// whitened by their covariance: the same bits from memory, from files written in parts of three lengths, and from
// such a file in memory. No scratch file is left.
func TestFitFileWhitensAsFit(t *testing.T) {
	toy := toySchema(t)
	toy.Records = 700
	r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: Yes, Steps: 20}
	full, err := NewPlan(r, toy)
	if err != nil {
		t.Fatal(err)
	}
	crossed, d := crossedSetup(t, r, `{"pairs": "all", "weight": 0.3}`, 3000)
	for name, c := range map[string]struct {
		setup Setup
		data  *data.Dataset
	}{
		"frequencies": {crossed, d}, "no records": {crossed, d.Slice(0, 0)}, "covariance": {full, toyData(t, toy, 700)},
	} {
		scratch := t.TempDir()
		o := Options{Momentum: 0.9, Scratch: func() (*os.File, error) { return os.CreateTemp(scratch, "") }}
		want, failed := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), c.setup, c.data, o)
		if failed != nil {
			t.Fatalf("%s: %v", name, failed)
		}
		for _, size := range []int{101, 1024, 5000} {
			text := encoded(t, c.setup, c.data, size, o)
			file, failed := FitFile(context.Background(), rich(t, privacy.AddOrRemoveOne), c.setup, bytes.NewReader(text), int64(len(text)), o)
			if failed != nil {
				t.Fatalf("%s in parts of %d: %v", name, size, failed)
			}
			table, failed := ReadTable(c.setup, bytes.NewReader(text), int64(len(text)))
			if failed != nil {
				t.Fatal(failed)
			}
			cached, failed := table.Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), c.setup, o)
			if failed != nil {
				t.Fatal(failed)
			}
			for j, v := range want.Model.Weights() {
				if a, b := file.Model.Weights()[j], cached.Model.Weights()[j]; math.Float64bits(a) != math.Float64bits(v) || math.Float64bits(b) != math.Float64bits(v) {
					t.Fatalf("%s in parts of %d: weight %d is %v from a file and %v from a table of it, want %v", name, size, j, a, b, v)
				}
			}
			if !slices.Equal(file.Model.Features().Whitening.Scales, want.Model.Features().Whitening.Scales) || !slices.Equal(file.Model.Features().Whitening.Matrix, want.Model.Features().Whitening.Matrix) {
				t.Errorf("%s in parts of %d: the rows are whitened in another way", name, size)
			}
		}
		if left, failed := os.ReadDir(scratch); failed != nil || len(left) > 0 {
			t.Errorf("%s: scratch files are left: %v, %v", name, left, failed)
		}
	}
}

// TestCalibrationOfAFile computes what rows add to the statistic from a file and from memory: the same bits. A private
// run on the file, with scales and a calibration, makes a model of its plan.
func TestCalibrationOfAFile(t *testing.T) {
	r := ask()
	r.Calibrate = true
	setup, d := crossedSetup(t, r, `{"pairs": "all"}`, 3000)
	text := encoded(t, setup, d, 1000, Options{})
	memory, err := setup.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := release.OpenRows(bytes.NewReader(text), int64(len(text)), frame(before(setup.Features)))
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, setup.Model.Weights())
	for j := range weights {
		weights[j] = math.Sin(float64(j))
	}
	want := newCorrectionOf(t, setup, weights, memory)
	got := newCorrectionOf(t, setup, weights, table{rows: rows, records: rows.Len(), file: &rowsFile{}})
	if !slices.Equal(got.scores, want.scores) || !slices.Equal(got.labels, memory.targets()) {
		t.Error("rows of a file have other scores or labels")
	}
	result, err := FitFile(context.Background(), budget(t, r.Epsilon), setup, bytes.NewReader(text), int64(len(text)), Options{Momentum: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	if err = CheckModel(setup.Plan, result.Model); err != nil || result.Stretch == 0 {
		t.Errorf("the model has stretch %v, want one that was learned: %v", result.Stretch, err)
	}
}

// altering is a file whose first block has another integer from one of its readings on, or in that reading alone. It
// is the last of the block, and with each one of each row.
type altering struct {
	text  []byte
	at    int64 // of the integer
	turn  int64 // the first such reading of the block, from 1, or 0 for none
	once  bool
	each  int64 // the bytes of a row, or 0 for the last row alone
	count atomic.Int64
}

func (f *altering) ReadAt(p []byte, at int64) (int, error) {
	n, err := bytes.NewReader(f.text).ReadAt(p, at)
	if at == 0 && f.at < int64(n) {
		if count := f.count.Add(1); f.turn > 0 && (count == f.turn || count > f.turn && !f.once) {
			p[f.at] ^= 1
			for at := f.at - f.each; f.each > 0 && at > 0; at -= f.each {
				p[at] ^= 1
			}
		}
	}
	return n, err
}

// TestFitFileHoldsRowsThatItReadsAgain changes one integer of a file from one of its readings on. Each such run ends
// with an error, or did not use the integer. The reading that makes rows of scaled features, or of a covariance, is
// of a held file.
func TestFitFileHoldsRowsThatItReadsAgain(t *testing.T) {
	toy := toySchema(t)
	toy.Records = 700
	r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: Yes, Steps: 2}
	full, err := NewPlan(r, toy)
	if err != nil {
		t.Fatal(err)
	}
	crossed, d := crossedSetup(t, r, `{"pairs": "all"}`, 500)
	for name, c := range map[string]struct {
		setup Setup
		data  *data.Dataset
	}{"frequencies": {crossed, d}, "covariance": {full, toyData(t, toy, 700)}} {
		text, held := encoded(t, c.setup, c.data, 5000, Options{}), 0
		table, failed := rows.ReadTable(bytes.NewReader(text), int64(len(text)))
		if failed != nil || len(table.Blocks) != 1 {
			t.Fatalf("%s: %d blocks, want one: %v", name, len(table.Blocks), failed)
		}
		var want []float64 // of turn 0, which no reading has
		for turn := int64(0); turn < 20; turn++ {
			file := &altering{text: text, at: int64(table.Blocks[0].Bytes - 4*table.Blocks[0].Rows - 2), turn: turn}
			result, failed := FitFile(context.Background(), rich(t, privacy.AddOrRemoveOne), c.setup, file, int64(len(text)), Options{Momentum: 0.9})
			switch {
			case errors.Is(failed, errRowChanged):
				held++
			case turn == 0 && failed == nil:
				want = result.Model.Weights()
			case failed == nil && !slices.Equal(result.Model.Weights(), want):
				t.Errorf("%s: reading %d of %d has another row, which the model has seen", name, turn, file.count.Load())
			}
		}
		if held == 0 {
			t.Errorf("%s: no reading was refused", name)
		}
	}
}

// TestFitFileSaysThatRowsChanged changes a block of many from one of its readings on. Several goroutines then fail, some
// because a block is missing, and the error of the run is about the file.
func TestFitFileSaysThatRowsChanged(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	toy := toySchema(t)
	toy.Records = 1200
	d := toyData(t, toy, 1200)
	for name, change := range map[string]func(*Request){
		"calibration": func(r *Request) { r.Calibrate = true },
		"norms":       func(r *Request) { r.PrivateRadius = true },
		"covariance":  func(r *Request) { r.Whiten = Yes },
	} {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No, Steps: 2}
		change(&r)
		s, err := NewPlan(r, toy)
		if err != nil {
			t.Fatal(err)
		}
		text, refused := encoded(t, s, d, 50, Options{}), 0
		table, err := rows.ReadTable(bytes.NewReader(text), int64(len(text)))
		if err != nil || len(table.Blocks) < 20 {
			t.Fatalf("%s: %d blocks, want many: %v", name, len(table.Blocks), err)
		}
		size := int64(table.Blocks[0].Bytes - 4*table.Blocks[0].Rows)
		for turn := int64(2); turn < 10; turn++ { // the first reading holds the file
			file := &altering{text: text, at: size - 2, turn: turn, each: size / int64(table.Blocks[0].Rows)}
			_, failed := FitFile(context.Background(), rich(t, privacy.AddOrRemoveOne), s, file, int64(len(text)), Options{Momentum: 0.9})
			if failed != nil && failed != errRowChanged {
				t.Errorf("%s: reading %d has other rows: got error %v, want %v", name, turn, failed, errRowChanged)
			}
			if failed != nil {
				refused++
			}
		}
		if refused == 0 || !errors.Is(errRowChanged, release.ErrDamaged) {
			t.Errorf("%s: %d readings were refused, want some", name, refused)
		}
	}
}

// TestFitFileRefusesEachReading changes one integer of each row from one reading of a file on, or in that reading
// alone. The readings of these runs are no sums of rows alone: scores that are calibrated, persons and norms. Each
// run ends with an error.
func TestFitFileRefusesEachReading(t *testing.T) {
	toy := toySchema(t)
	toy.Records = 120
	rows120, who := toyData(t, toy, 120), make([]string, 120)
	for i := range who {
		who[i] = fmt.Sprint("p", i/3)
	}
	plan := func(change func(*Request)) Setup {
		r := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No, Steps: 2}
		change(&r)
		s, err := NewPlan(r, toy)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	days := diary(t, who, rand.New(rand.NewPCG(1, 2)))
	persons := func(change func(*Request)) (Setup, []byte) {
		s := personPlan(t, 1, func(r *Request) { r.Steps = 2; change(r) })
		return s, encodedPersons(t, s, days, 5000, Options{}, 1<<20, nil)
	}
	of := func(s Setup, d *data.Dataset) (Setup, []byte) { return s, encoded(t, s, d, 5000, Options{}) }
	crossed, d := crossedSetup(t, Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Calibrate: true, Steps: 2}, `{"pairs": "all"}`, 120)
	for name, make := range map[string]func() (Setup, []byte){
		"calibration": func() (Setup, []byte) { return of(plan(func(r *Request) { r.Calibrate = true }), rows120) },
		"calibration after covariance": func() (Setup, []byte) {
			return of(plan(func(r *Request) { r.Calibrate, r.Whiten = true, Yes }), rows120)
		},
		"calibration after frequencies": func() (Setup, []byte) { return of(crossed, d) },
		"norms":                         func() (Setup, []byte) { return of(plan(func(r *Request) { r.PrivateRadius = true }), rows120) },
		"persons":                       func() (Setup, []byte) { return persons(func(r *Request) { r.Whiten = No }) },
		"persons with a calibration":    func() (Setup, []byte) { return persons(func(r *Request) { r.Whiten, r.Calibrate = No, true }) },
	} {
		setup, text := make()
		table, err := rows.ReadTable(bytes.NewReader(text), int64(len(text)))
		if err != nil || len(table.Blocks) != 1 {
			t.Fatalf("%s: %d blocks, want one: %v", name, len(table.Blocks), err)
		}
		for turn, last := int64(0), int64(0); turn <= last; turn++ {
			for _, once := range []bool{false, true} {
				size := int64(table.Blocks[0].Bytes - 4*table.Blocks[0].Rows)
				file := &altering{text: text, at: size - 2, turn: turn, once: once, each: size / int64(table.Blocks[0].Rows)}
				_, failed := FitFile(context.Background(), rich(t, privacy.AddOrRemoveOne), setup, file, int64(len(text)), Options{Momentum: 0.9})
				if last == 0 {
					last = file.count.Load()
				}
				// a check of picked sums, which few runs have, reads a block once more
				changed := turn > 0 && turn <= file.count.Load()
				if got := failed != nil; got != changed {
					t.Errorf("%s: reading %d of %d has another row, that reading alone %v: got error %v", name, turn, last, once, failed)
				}
			}
		}
	}
}

// TestScaledRowsAreHeld changes one integer in the file of scaled rows before the last steps, or replaces the file by
// one with fewer rows before it is read. The gradients of these steps are then of other rows, and the run ends with
// an error.
func TestScaledRowsAreHeld(t *testing.T) {
	r := ask()
	r.Calibrate = true
	setup, d := crossedSetup(t, r, `{"pairs": "all"}`, 500)
	text, folder := encoded(t, setup, d, 1000, Options{}), t.TempDir()
	other := filepath.Join(folder, "other") // a name of the file that the run does not remove
	small := encoded(t, setup, d.Slice(0, 100), 1000, Options{})
	for _, replaced := range []bool{false, true} {
		o := Options{Momentum: 0.9, Scratch: func() (*os.File, error) {
			file, err := os.CreateTemp(folder, "scaled-")
			if err != nil || !replaced {
				return file, err
			}
			// what is written goes to a file that has this name no more
			return file, errors.Join(os.Remove(file.Name()), os.WriteFile(file.Name(), small, 0o600))
		}}
		_, err := FitFile(context.Background(), budget(t, r.Epsilon), setup, bytes.NewReader(text), int64(len(text)), o)
		if replaced != errors.Is(err, errRowChanged) {
			t.Errorf("the file is replaced %v: got error %v", replaced, err)
		}
	}
	for _, change := range []bool{false, true} {
		_ = os.Remove(other)
		changed := false
		o := Options{Momentum: 0.9, Scratch: func() (*os.File, error) {
			file, err := os.CreateTemp(folder, "scaled-")
			if err == nil {
				err = os.Link(file.Name(), other)
			}
			return file, err
		}, Progress: func(p Progress) {
			if !change || changed || 2*p.Step < p.Steps {
				return
			}
			changed = true
			table, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			read, err := rows.ReadTable(bytes.NewReader(table), int64(len(table)))
			if err != nil {
				t.Fatal(err)
			}
			was, err := os.Stat(other)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(other, os.O_WRONLY, 0)
			if err == nil {
				at := int64(read.Blocks[0].Bytes - 4*read.Blocks[0].Rows - 2) // the last integer of the block
				_, err = file.WriteAt([]byte{table[at] ^ 1}, at)
				err = errors.Join(err, file.Close(), os.Chtimes(other, was.ModTime(), was.ModTime()))
			}
			if err != nil {
				t.Fatal(err)
			}
		}}
		_, err := FitFile(context.Background(), budget(t, r.Epsilon), setup, bytes.NewReader(text), int64(len(text)), o)
		if change != (err != nil) || change != changed {
			t.Errorf("scaled rows change %v: got error %v", change, err)
		}
	}
}
