package tabular

import (
	"context"

	"github.com/ditherml/dither/data"
)

// Schema returns the schema in a file as read reads it. Where it declares columns by patterns, they are
// replaced by the names of the columns of a table.
func (f *Flags) Schema(path, table string, read func(path string) (*data.Schema, error)) (*data.Schema, error) {
	s, err := read(path)
	if err != nil || len(s.Patterns) == 0 {
		return s, err
	}
	source, err := f.Source(table)
	if err != nil {
		return nil, err
	}
	return data.Resolve(context.Background(), s, source, data.ReadOptions{WithoutTarget: s.Target.Column == ""})
}
