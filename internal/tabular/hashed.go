package tabular

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
)

// Hashed is a table of a database that hashes the rows that are read, while they are read. The hash
// and the rows are thus of one moment of the database.
type Hashed struct {
	database.Table
	sum string
}

// Stored is [database.Table.Stored]. It is the same table, so that its hash is at hand after a reading.
func (h *Hashed) Stored() (database.Table, error) {
	table, err := h.Table.Stored()
	if err != nil {
		return nil, err
	}
	h.Table = table
	return h, nil
}

// Read is [database.Table.Read].
func (h *Hashed) Read(ctx context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	sum := sha256.New()
	describe := func(columns []database.Column) ([]database.Cell, error) {
		cells, err := choose(columns)
		for _, c := range cells {
			fmt.Fprintf(sum, "%q %+v\n", columns[c.Column].Name, c)
		}
		return cells, err
	}
	err := h.Table.Read(ctx, describe, func(r io.Reader) error { return take(io.TeeReader(r, sum)) })
	if err == nil {
		h.sum = hex.EncodeToString(sum.Sum(nil))
	}
	return err
}

// Sum returns the SHA-256 of the cells that the last whole reading took. It is empty before one.
func (h *Hashed) Sum() string { return h.sum }

// HashedOf returns the table of a source that flags with Hashed made, or nil for a file.
func HashedOf(source data.Source) *Hashed {
	h, _ := source.Database.(*Hashed)
	return h
}
