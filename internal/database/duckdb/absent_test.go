//go:build !duckdb || !cgo

package duckdb_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/duckdb"
)

// TestAbsent recognizes a file by its first bytes, and wants a line that says how to build what reads it.
func TestAbsent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "people")
	if err := os.WriteFile(file, []byte("01234567DUCK and the rest"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !duckdb.Is(file) || !duckdb.Is("duckdb:nowhere") || duckdb.Is("duckdb_test.go") || duckdb.Built() {
		t.Error("a file is not recognized, or another one is, or the driver is there")
	}
	table, err := duckdb.Open(database.File{File: file, Table: "people"})
	if err != nil {
		t.Fatal(err)
	}
	if err = table.Read(context.Background(), nil, nil); err == nil || !strings.Contains(err.Error(), "this build of dither reads no DuckDB, want a build with cgo and the tag duckdb; in a checkout: CGO_ENABLED=1 go build -modfile=duckdb.mod -tags duckdb ./cmd/dither") {
		t.Errorf("got %v", err)
	}
}
