package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/witness"
	"github.com/ditherml/dither/train"
)

// key is everything that an encoded table was made from. It stands in the file as its note. An
// encoded table serves another run only when all of it is the same.
type key struct {
	Format string `json:"format"`
	Table  string `json:"table"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Labels string `json:"labels,omitempty"`
	// LabelsBytes and LabelsSHA256 describe the separate file of labels.
	LabelsBytes  int64  `json:"labels-bytes,omitempty"`
	LabelsSHA256 string `json:"labels-sha256,omitempty"`
	Delimiter    rune   `json:"delimiter,omitempty"`
	Schema       string `json:"schema"`
	FeatureBits  int    `json:"feature-bits"`
	// Person is the column by whose texts rows stand together, "" for the order of the table.
	Person string `json:"person,omitempty"`
	// Transforms are the transforms before the rows were written.
	Transforms []feature.Spec `json:"transforms,omitempty"`
	// Made is the hash of these transforms' results for fixed rows. Another version of the
	// transforms may have another hash.
	Made string `json:"made,omitempty"`
}

// encodedFormat is the form of encoded tables. It changes with the way in which cells become numbers, so
// that no table serves that an earlier program read in another way.
const encodedFormat = "5"

// newKey reads the files of a table for their hashes, because sizes and times do not show every
// change.
func newKey(ctx context.Context, source data.Source, s train.Setup, featureBits int) (key, error) {
	schema, chain := s.Schema, s.Features.Pipeline
	k := key{Format: encodedFormat, Delimiter: source.Delimiter, FeatureBits: featureBits, Transforms: chain.Specs()}
	if s.Plan.Person != nil {
		k.Person = s.Plan.Person.Column
	}
	if chain.Transforms() {
		made := chain.Fingerprint()
		k.Made = hex.EncodeToString(made[:])
	}
	declared := *schema
	declared.Records, declared.MaxRecords = 0, 1 // which change nothing in a row
	text, err := declared.YAML()
	if err != nil {
		return k, err
	}
	sum := sha256.Sum256(text)
	k.Schema = hex.EncodeToString(sum[:])
	if k.Table, k.Bytes, k.SHA256, err = identity(ctx, source.Path); err != nil || source.Labels == "" {
		return k, err
	}
	k.Labels, k.LabelsBytes, k.LabelsSHA256, err = identity(ctx, source.Labels)
	return k, err
}

// isPacked reports whether a file is compressed or has columns of its own. Then its bytes are not
// what a reader of the table sees, and the witness sees the table while it is encoded.
func isPacked(path string) bool {
	var magic [8]byte
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	n, _ := io.ReadFull(file, magic[:])
	return format.Opaque(magic[:n])
}

// identity is what tells a file from what it was before. A witness in ctx sees the file.
func identity(ctx context.Context, path string) (name string, bytes int64, sum string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, "", fmt.Errorf("%s cannot be looked at: %w; name a table that exists", path, display.Pathless(err))
	}
	if !info.Mode().IsRegular() {
		return "", 0, "", fmt.Errorf("%s is no plain file, want one; --stream and --cache-features remember which file it was", path)
	}
	name, err = filepath.Abs(path)
	if err != nil {
		return "", 0, "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", 0, "", fmt.Errorf("%s cannot be read: %w; name a table that can", path, display.Pathless(err))
	}
	defer file.Close()
	hash := sha256.New()
	var seen *witness.Part
	if !isPacked(path) {
		seen = witness.From(ctx).Part()
		defer seen.End()
	}
	if bytes, err = io.Copy(io.MultiWriter(hash, seen), file); err != nil {
		return "", 0, "", failure.Running(fmt.Errorf("%s cannot be read: %w", path, display.Pathless(err)))
	}
	return name, bytes, hex.EncodeToString(hash.Sum(nil)), nil
}

// file is the name of the encoded table in the cache folder.
func (k key) file() (name string, note json.RawMessage, err error) {
	note, err = json.Marshal(k)
	sum := sha256.Sum256(note)
	return "table-" + hex.EncodeToString(sum[:8]) + ending, note, err
}
