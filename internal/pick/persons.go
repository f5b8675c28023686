package pick

import (
	"fmt"

	"github.com/ditherml/dither/data"
)

// Persons returns the codes and texts of a column whose texts name persons, as data.Dataset.Group does. A
// level that is a group of several texts would merge persons. So a column with such levels is an error
// unless its texts were read besides its levels.
func Persons(d *data.Dataset, name string) (codes []int32, texts []string, err error) {
	codes, texts, err = d.Group(name)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range d.Schema().Features() {
		if c.Name == name && c.Date != nil {
			return nil, nil, fmt.Errorf("the column %q holds parts of dates, which merge persons, want a column of the table", name)
		}
		if c.Name == name && c.Grouped != nil && len(texts) == len(c.Levels) && &texts[0] == &c.Levels[0] {
			return nil, nil, fmt.Errorf("the levels of column %q are groups of several texts, which merge persons, want the texts; name it in data.ReadOptions.Extra", name)
		}
	}
	return codes, texts, nil
}
