package data

import (
	"context"
	"io"
)

// ReadFromGeneral is ReadFrom by encoding/csv alone.
func ReadFromGeneral(ctx context.Context, s *Schema, name string, r io.Reader, o ReadOptions) (*Dataset, error) {
	q, b, err := newRequest(s, name, 0, o)
	if err != nil {
		return nil, err
	}
	q.general = true
	return readText(ctx, q, b, r, o)
}

// ReadFromInBlocks is ReadFrom by blocks of about so many bytes.
func ReadFromInBlocks(ctx context.Context, s *Schema, name string, r io.Reader, o ReadOptions, bytes int) (*Dataset, error) {
	q, b, err := newRequest(s, name, 0, o)
	if err != nil {
		return nil, err
	}
	q.blockBytes = bytes
	return readText(ctx, q, b, r, o)
}

// PrivateSchema has columns of every kind that is learned.
const PrivateSchema = privateSchema

// SchemaKeys are the keys that the parser takes, by the part of a schema file that they belong to.
func SchemaKeys() map[string][]string {
	return map[string][]string{"The file": schemaKeys, "target": targetKeys, "columns": columnKeys, "text": textKeys, "defaults": defaultKeys}
}
