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
	return map[string][]string{"The file": schemaKeys, "target": targetKeys, "columns": columnKeys, "text": textKeys, "date": dateKeys, "defaults": defaultKeys, "related": relatedKeys, "features": relatedFeatureKeys}
}

// The bounds and words of text columns, and what is left open.
const (
	MinBuckets      = minBuckets
	StopNone        = stopNone
	StopEnglish     = stopEnglish
	ValuesLogarithm = valuesLogarithm
	ValuesPresence  = valuesPresence
	Undecided       = undecided
)

// EnglishStopWords is englishStopWords.
var EnglishStopWords = englishStopWords

// HashingFor is hashingFor.
var HashingFor = hashingFor

// Has is missing.
func (m MissingSet) Has(text string) bool { return m.missing(text) }

// Number is number.
func (t *Target) Number(v float64) (float32, bool) { return t.number(v) }

// Values is values.
func (s *Schema) Values() int { return s.values() }
