package tabular

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database/sqlite"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/model"
)

// writeSQLite writes predictions into a table of a file of SQLite, and returns the name of the table. It makes the
// file whole or not at all if there is none.
func (o Output) writeSQLite(ctx context.Context, m *model.Model, source data.Source, pass []string, fill Fill) (table string, err error) {
	a, err := sqlite.Parse(o.Path)
	if err != nil {
		return "", err
	}
	if table, err = o.named(a.Table, a.Query); err != nil {
		return "", err
	}
	types, err := typesOf(ctx, source)
	if err != nil {
		return table, err
	}
	kept := map[string]string{}
	for name, kind := range types {
		kept[name] = sqliteType(kind)
	}
	columns, err := fieldsOf(m.Schema().Target, pass, kept)
	if err != nil {
		return table, err
	}
	w := sqlite.Writing{File: a.File, Table: table, Replace: o.Replace}
	for _, f := range columns {
		w.Fields = append(w.Fields, sqlite.Field{Name: f.name, Type: sqliteType(f.kind)})
	}
	write := func() error {
		return sqlite.Write(ctx, w, func(put func([]string) error) error {
			return fill(func(p *Predictions) error { return p.each(ctx, plainCell, put) })
		})
	}
	info, err := os.Stat(a.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return table, newSQLite(&w, write)
	case err != nil:
		return table, fmt.Errorf("%s cannot be looked at: %w; name another file", a.File, display.Pathless(err))
	case !info.Mode().IsRegular() || info.Size() > 0 && !sqlite.IsFile(a.File):
		return table, fmt.Errorf("%s exists and is no file of SQLite, want one or a new name; name another file", a.File)
	}
	return table, write()
}

// newSQLite calls write for a file without a name, and then gives it its name.
func newSQLite(w *sqlite.Writing, write func() error) error {
	path := w.File
	folder := filepath.Dir(path)
	durable.RemoveLeftovers(folder, func(string) {}) // runs that make folders report these
	file, temporary, err := durable.Temporary(folder, durable.Prefix, 0o600)
	if err != nil {
		return fmt.Errorf("%s cannot be written in: %w; name a file in another folder", folder, display.Pathless(err))
	}
	defer func() {
		file.Close()
		_ = os.Remove(temporary) // it has another name after success
	}()
	w.File, w.Fresh = temporary, true
	if err = write(); err != nil {
		return err
	}
	if err = file.Sync(); err == nil {
		err = durable.RenameNew(temporary, path)
	}
	if err != nil {
		return unwritten(err)
	}
	durable.SyncFolder(folder)
	return nil
}

// sqliteType returns the type of a column in SQLite for the type of a column in a database.
func sqliteType(kind string) string {
	switch kind = strings.ToLower(kind); {
	case strings.Contains(kind, "int") && kind != "interval" && kind != "point":
		return "INTEGER"
	case kind == "real" || strings.HasPrefix(kind, "double") || kind == "float":
		return "REAL"
	case strings.HasPrefix(kind, "numeric") || strings.HasPrefix(kind, "decimal"):
		return "NUMERIC"
	case kind == "date":
		return "DATE"
	}
	return "TEXT"
}
