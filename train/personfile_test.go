package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// encodedPersons is encoded, with this number of bytes to sort at a time.
func encodedPersons(t *testing.T, s Setup, d *data.Dataset, size int, o Options, sorted int64, note json.RawMessage) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := NewEncoder(s, o, &out)
	if err != nil {
		t.Fatal(err)
	}
	e.group.bytes = sorted
	for from := 0; from < d.Records(); from += size {
		if err = e.Append(d.Slice(from, min(from+size, d.Records()))); err != nil {
			t.Fatal(err)
		}
	}
	if err = e.Close(note); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// someDiary has rows of 120 persons and of nobody, in a random order.
func someDiary(t *testing.T) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 8))
	names := make([]string, 500)
	for i := range names {
		if names[i] = fmt.Sprint("p", r.IntN(120)); i%40 == 3 {
			names[i] = "NA"
		}
	}
	return diary(t, names, r)
}

// TestFitFileOfPersonsIsFit trains without privacy on persons in memory, in a file, and in a table from that file: the
// same bits, whatever the sizes of parts, and with limits that leave rows of persons out.
func TestFitFileOfPersonsIsFit(t *testing.T) {
	d := someDiary(t)
	for _, most := range []int{1, 3, 100} {
		for _, bits := range []int{8, 16} {
			setup := personPlan(t, math.Inf(1), func(r *Request) {
				r.Person.MaxRows, r.Center, r.Whiten, r.PrivateRadius, r.ClippingNorm = most, Yes, No, bits == 16, 0.4
			})
			o := Options{Momentum: 0.9, FeatureBits: bits}
			fit := func(name string, run func(*ledger.Ledger) (*Result, error)) []float64 {
				result, err := run(rich(t, setup.Plan.Neighboring))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return result.Model.Weights()
			}
			want := fit("memory", func(l *ledger.Ledger) (*Result, error) { return Fit(context.Background(), l, setup, d, o) })
			for _, size := range []int{1000, 7, 101} {
				text := encodedPersons(t, setup, d, size, o, int64(size)*10, json.RawMessage(`{"table":"diary"}`))
				got := fit("file", func(l *ledger.Ledger) (*Result, error) {
					return FitFile(context.Background(), l, setup, bytes.NewReader(text), int64(len(text)), o)
				})
				table, err := ReadTable(setup, bytes.NewReader(text), int64(len(text)))
				if err != nil {
					t.Fatal(err)
				}
				read := fit("table", func(l *ledger.Ledger) (*Result, error) { return table.Fit(context.Background(), l, setup, o) })
				if !sameBits(got, want) || !sameBits(read, want) {
					t.Fatalf("at most %d rows, %d bits, parts of %d: weights are %v from a file, %v from a table, %v from memory", most, bits, size, got, read, want)
				}
			}
		}
	}
}

// TestSampledFilesOfPersonsTrain takes noisy steps on samples and parts of persons in a file.
func TestSampledFilesOfPersonsTrain(t *testing.T) {
	d := someDiary(t)
	for _, change := range []func(*Request){func(r *Request) { r.SamplingProbability, r.Whiten = 0.2, No }, func(r *Request) { r.Parts, r.Whiten = 4, No }} {
		setup := personPlan(t, 2, change)
		text := encodedPersons(t, setup, d, 100, Options{}, 1, nil)
		g, err := privacy.NewGuarantee(2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := ledger.NewSingle(g)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = FitFile(context.Background(), l, setup, bytes.NewReader(text), int64(len(text)), Options{}); err != nil {
			t.Errorf("%s: %v", setup.Plan.Sampling, err)
		}
	}
}

// TestFilesOfPersonsHoldTheirRows reads the persons of a file, and compares their numbers of rows with the table.
func TestFilesOfPersonsHoldTheirRows(t *testing.T) {
	d := someDiary(t)
	setup := personPlan(t, 1, func(r *Request) { r.Center, r.Whiten, r.Person.MaxRows = No, No, 1000 })
	text := encodedPersons(t, setup, d, 33, Options{}, 1, nil)
	of, err := groupsOf(bytes.NewReader(text), int64(len(text)))
	if err != nil || of == nil || of.Column != "who" {
		t.Fatalf("the file has persons %+v, %v", of, err)
	}
	all, err := setup.Plan.Person.persons(d)
	if err != nil {
		t.Fatal(err)
	}
	want, got, rows := map[int]int{}, map[int]int{}, 0
	for _, person := range all {
		want[len(person)]++
		rows += len(person)
	}
	persons, err := setup.Plan.Person.personsIn(of, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, person := range persons {
		got[len(person)]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(persons) != len(all) {
		t.Errorf("persons by numbers of rows are %v, want %v", got, want)
	}
	for _, wrong := range [][]byte{nil, {1}, binary.AppendUvarint(nil, uint64(rows+1)), append(append([]byte{}, of.Rows...), 1), append([]byte{0}, of.Rows...), append(append([]byte{}, of.Rows...), 0x80)} {
		if _, err = setup.Plan.Person.personsIn(&groups{Column: "who", Rows: wrong}, rows); !errors.Is(err, errGroups) {
			t.Errorf("persons of %d bytes are taken: %v", len(wrong), err)
		}
	}
}

// TestFilesOfOtherUnitsAreRefused holds that a file is read under the unit that it was written for, that its scratch
// file is private and removed, and that a note has to be an object.
func TestFilesOfOtherUnitsAreRefused(t *testing.T) {
	d := someDiary(t)
	persons := personPlan(t, 1, func(r *Request) { r.Center, r.Whiten = No, No })
	rows := personPlan(t, 1, func(r *Request) { r.Center, r.Whiten, r.Person = No, No, nil })
	ofPersons, ofRows := encodedPersons(t, persons, d, 100, Options{}, 1, nil), encoded(t, rows, d, 100, Options{})
	other := persons
	other.Plan.Person = &PersonUnit{Column: "color", MaxRows: 3}
	for want, c := range map[string]struct {
		setup Setup
		text  []byte
	}{"was written for persons": {rows, ofPersons}, `persons by column "who"`: {persons, ofRows}, `persons by column "color"`: {other, ofPersons}} {
		_, err := FitFile(context.Background(), rich(t, privacy.AddOrRemoveOne), c.setup, bytes.NewReader(c.text), int64(len(c.text)), Options{})
		table, failed := ReadTable(c.setup, bytes.NewReader(c.text), int64(len(c.text)))
		if failed != nil {
			t.Fatal(failed)
		}
		_, failed = table.Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), c.setup, Options{})
		for _, e := range []error{err, failed} {
			if e == nil || !strings.Contains(e.Error(), want) {
				t.Errorf("got %v, want an error with %q", e, want)
			}
		}
	}
	folder := t.TempDir()
	scratch := func() (*os.File, error) { return os.CreateTemp(folder, "scratch-") }
	if encodedPersons(t, persons, d, 100, Options{Scratch: scratch}, 1, nil); len(glob(t, folder)) > 0 {
		t.Errorf("the folder holds %v, want nothing", glob(t, folder))
	}
	for _, note := range []string{`[1]`, `{"persons":1}`} {
		e, err := NewEncoder(persons, Options{}, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		if err = e.Append(d); err != nil {
			t.Fatal(err)
		}
		if err = e.Close(json.RawMessage(note)); err == nil {
			t.Errorf("the note %s is taken", note)
		}
	}
	e, err := NewEncoder(other, Options{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	e.group.column = "nobody"
	if err = e.Append(d); err == nil {
		t.Error("a column that was not read was taken for persons")
	}
}

func glob(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
