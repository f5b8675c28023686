package data

import (
	"context"

	"github.com/ditherml/dither/internal/format"
)

// checkTables returns the error that Read would return before it reads the first record. Examples
// are a missing file, an unknown format, a header or shape that does not fit the schema, and an
// undeclared column of o.Extra. checkTables opens every file of the table, and reads no record.
func checkTables(ctx context.Context, s *Schema, src Source, o ReadOptions) error {
	if hasRelated(s, src) {
		return checkJoinedHeaders(ctx, s, src, o)
	}
	if err := checkRequest(s, o); err != nil {
		return err
	}
	return checkHeaders(ctx, s, src, o)
}

// checkHeaders checks the headers of one table under a schema without related tables.
func checkHeaders(ctx context.Context, s *Schema, src Source, o ReadOptions) error {
	parts := []onePart{{path: src.Path}}
	if src.Database == nil && format.IsParts(src.Path) {
		var err error
		if parts, err = partsOf(src.Path); err != nil {
			return err
		}
	}
	for _, part := range parts {
		if err := checkHeader(ctx, s, part.source(src), o); err != nil {
			return part.named(err)
		}
	}
	return nil
}

func checkHeader(ctx context.Context, s *Schema, src Source, o ReadOptions) error {
	q, _ := makeRequest(s, src.Path, src.Delimiter, o)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &headerSink{cancel: cancel}
	q.sink = h
	err := scan(inner, q, src)
	if h.begun && ctx.Err() == nil {
		return nil
	}
	return err
}

// headerSink is a sink that ends the reading where the records begin.
type headerSink struct {
	cancel context.CancelFunc
	begun  bool
}

var _ sink = (*headerSink)(nil)

func (h *headerSink) begin(layout) {
	h.begun = true
	h.cancel()
}

func (h *headerSink) cells(int, []string)      {}
func (h *headerSink) number(int, int, float64) {}
