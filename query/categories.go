package query

import "github.com/ditherml/dither/mechanism"

// CategoryTerms are the public numbers of a release of undeclared categories.
type CategoryTerms struct {
	Payer mechanism.Payer
	// Discovery is the noise of the counts and the probability with which the category of a single record may
	// appear.
	mechanism.DiscoveryTerms
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// Category is one released category: its name and its noisy number of records.
type Category struct {
	Name  string
	Count Answer
}

// Categories releases, sorted by name, those categories of the records whose noisy count is beyond the public
// threshold of the terms, with these counts. Name returns the category of a record, "" for none. An interval
// is that of a count by itself; that only large counts are shown makes those just beyond the threshold err
// upward. It is proved under add-or-remove-one.
func Categories(t CategoryTerms, records int, name func(i int) string, level float64) ([]Category, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	l, err := lawOf(t.Noise, 1)
	if err != nil {
		return nil, err
	}
	sample, err := mechanism.Full().Draw(records)
	if err != nil {
		return nil, err
	}
	discovery, err := mechanism.NewDiscovery(sample, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	for i := range records {
		if err = discovery.Add(i, []string{name(i)}); err != nil {
			return nil, err
		}
	}
	found, err := discovery.Release(t.Payer, t.DiscoveryTerms)
	categories := make([]Category, len(found))
	for k, f := range found {
		categories[k] = Category{f.Name, l.linear(f.Count, level)}
	}
	return categories, err
}
