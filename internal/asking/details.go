package asking

import "github.com/ditherml/dither/query"

// Detail is an optional part of a question that only some statistics accept.
type Detail struct {
	Name string
	Of   []query.Statistic
}

// Details returns the optional parts of questions that only some statistics accept.
func Details() []Detail {
	return []Detail{
		{"edges", []query.Statistic{"histogram"}},
		{"quantiles", []query.Statistic{"quantiles"}},
		{"points", []query.Statistic{"quantiles", "bounds", "radius", "aggregate"}},
		{"of", []query.Statistic{"aggregate"}},
		{"blocks", []query.Statistic{"aggregate"}},
		{"share", []query.Statistic{"bounds"}},
	}
}
