package grid

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/sweep"
)

// changing is a table whose rows are others at each reading.
type changing struct{ readings int }

func (c *changing) Name() string { return database.TableName("changing") }

func (c *changing) Declared(context.Context) ([]database.Declared, string, error) {
	return nil, "", nil
}

func (c *changing) Stored() (database.Table, error) { return c, nil }

func (c *changing) Read(_ context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	if _, err := choose([]database.Column{{Name: "x", Kind: database.Numbers}, {Name: "y", Kind: database.Numbers}}); err != nil {
		return err
	}
	c.readings++
	return take(strings.NewReader(fmt.Sprintf("%d,0\n%[1]d,1\n", c.readings)))
}

// TestHashesAreOfTheRows reads a table that changes all the time, and wants the hash of the rows that
// the runs have: each table is read once, whether it is divided or not.
func TestHashesAreOfTheRows(t *testing.T) {
	s, err := data.ParseSchema("s", []byte("dither-schema: 1\nmax-records: 10\ntarget: {column: y, bounds: [0, 1]}\ncolumns:\n  x: {numeric: [0, 100], out-of-range: clamp, missing: zero}\n"))
	if err != nil {
		t.Fatal(err)
	}
	plan := func(way string) (*Plan, *changing) {
		table := &changing{}
		hashed := &tabular.Hashed{Table: table}
		read := func(ctx context.Context) (*data.Dataset, error) {
			return data.Read(ctx, s, data.Source{Path: table.Name(), Database: hashed}, data.ReadOptions{})
		}
		none := func(context.Context) (*data.Dataset, error) { return nil, nil }
		p := &Plan{Base: Base{Schema: s, Train: read, ReadTest: none, Files: []sweep.Setting{{Name: "data", Value: "postgres://"}}, Databases: map[string]*tabular.Hashed{"data": hashed}}}
		p.parts.way, p.parts.share = way, 0.5
		return p, table
	}
	hashes := map[string]bool{}
	for _, way := range []string{"", SplitFirst} {
		p, table := plan(way)
		if err = p.Divide(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, failed := p.definition(t.Context())
		if err = p.read(t.Context()); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if table.readings != 1 || len(d.Data) != 1 || len(d.Data[0].Value) != 64 {
			t.Errorf("split %q: got %d readings and the hashes %v, want one of each", way, table.readings, d.Data)
		}
		hashes[d.Data[0].Value] = true
	}
	if len(hashes) != 1 {
		t.Errorf("got the hashes %v of equal rows, want one", hashes)
	}
	p, table := plan("")
	table.readings = 5
	if d, failed := p.definition(t.Context()); failed != nil || hashes[d.Data[0].Value] {
		t.Errorf("got the hash %v (%v) of other rows, want another one", d.Data, failed)
	}
}

// TestSeveralFiles wants a clear refusal of a folder of parts and of a pattern, as table and as related
// table.
func TestSeveralFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "part.csv"), []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(folder, "*.csv")} {
		for name, base := range map[string]Base{
			"data":    {Files: []sweep.Setting{{Name: "data", Value: path}}},
			"related": {Related: map[string]data.Source{"visits": {Path: path}}},
		} {
			p := &Plan{Base: base}
			if _, err := p.hashes(t.Context()); err == nil || !strings.Contains(err.Error(), "is a folder or a pattern, want one file") {
				t.Errorf("%s %s: got %v, want a refusal of several files", name, path, err)
			}
		}
	}
	p := &Plan{Base: Base{Files: []sweep.Setting{{Name: "data", Value: filepath.Join(folder, "part.csv")}}}}
	if sums, err := p.hashes(t.Context()); err != nil || len(sums) != 1 {
		t.Errorf("one file: got %v, %v, want its hash", sums, err)
	}
}
