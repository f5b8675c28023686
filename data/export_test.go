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
