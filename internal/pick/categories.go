package pick

import (
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// CategoryTerms are the public numbers that a release of undeclared categories depends on.
type CategoryTerms struct {
	Payer mechanism.Payer
	// PartitionTerms are the noise of the counts and the probability that the category of a single
	// record appears.
	release.PartitionTerms
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// Category is one released category: its name and its noisy number of records.
type Category struct {
	Name  string
	Count float64
}

// Categories returns the categories of the rows whose noisy count is beyond the public threshold of
// the terms, with these counts, sorted by name. name returns the category of a row, "" for none.
// The largest number of rows of one record follows from r. Because only large counts are shown,
// counts just beyond the threshold err upward. It is proved under add-or-remove-one.
func Categories(t CategoryTerms, r Records, name func(i int) string) ([]Category, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	counted, err := t.count(r, name)
	if err != nil {
		return nil, err
	}
	found, err := counted.Release(t.Payer)
	categories := make([]Category, len(found))
	for k, f := range found {
		categories[k] = Category{f.Name, f.Count}
	}
	return categories, err
}

// count counts the rows of all records.
func (t CategoryTerms) count(r Records, name func(i int) string) (*release.PartitionSelection, error) {
	sample, err := release.Draw(release.Full(), r.Size())
	if err != nil {
		return nil, err
	}
	t.RowsPerRecord = r.most
	counted, err := release.NewPartitionSelection(sample, t.PartitionTerms, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range r.Size() {
		names = r.Names(names[:0], i, name)
		if err = counted.Add(i, names...); err != nil {
			return nil, err
		}
	}
	return counted, nil
}

// Names appends the categories of a record's rows.
func (r Records) Names(dst []string, record int, name func(i int) string) []string {
	r.Each(record, func(row int) { dst = append(dst, name(row)) })
	return dst
}
