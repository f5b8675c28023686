package tabular

import (
	"context"
	"fmt"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/together"
)

// ReadShared reads the table at path with ReadTrain or ReadTest: all of it, or the share of this rank if
// several ranks run the command. The argument person is the column that names persons, or "". The ranks
// agree on the plan and on the schema, which decides what the rows of a table are.
func (f *Flags) ReadShared(ctx context.Context, s *data.Schema, path, person string, o data.ReadOptions, plan string,
	read func(context.Context, *data.Schema, data.Source, data.ReadOptions) (*data.Dataset, error)) (d *data.Dataset, err error) {
	of, own := together.From(ctx), *f
	agreed := []byte(plan)
	if of != nil {
		text, failed := s.YAML()
		if failed != nil {
			return nil, failed
		}
		agreed = fmt.Appendf(agreed, "\n%s", text)
	}
	at, mine := of.Expand(path, &own.Query, &own.Labels)
	source, err := own.Source(at)
	if err != nil {
		return nil, err
	}
	shared := &source
	if strings.HasPrefix(path, Prefix) {
		shared = nil
	} else if source, err = of.Share(source, mine, person); err != nil {
		return nil, err
	}
	err = of.Read(shared, agreed, func() error {
		if d, err = read(ctx, s, source, o); err == nil && shared == nil {
			d, err = of.Part(d, person)
		}
		return err
	})
	return d, err
}
