package asking

import "github.com/ditherml/dither/query"

// Detail is a detail of a question that only some statistics take.
type Detail struct {
	Name string
	Of   []query.Statistic
}

// Details returns the details that only some statistics take.
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
