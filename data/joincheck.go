package data

import (
	"context"
	"errors"
)

// checkJoined is Check for a schema with related tables. It reads each table twice.
func checkJoined(ctx context.Context, s *Schema, src Source) (*CheckReport, error) {
	j, err := newJoin(s, src, ReadOptions{})
	if err != nil {
		return nil, err
	}
	q, made := makeRequest(j.own, src.Path, src.Delimiter, ReadOptions{})
	report, err := checkTable(ctx, q, made, src)
	if err != nil {
		return nil, err
	}
	people := map[string]int{}
	q, made = makeRequest(j.own, src.Path, src.Delimiter, j.peopleOptions(ReadOptions{}))
	if err = countKeys(ctx, q, made, src, s.peopleKey(), people); err != nil {
		return nil, err
	}
	for key, n := range people {
		switch {
		case key == "":
			report.WithoutKey = n
		case n > 1:
			report.RepeatedKeys += n
		}
	}
	for i := range s.Related {
		var source Source
		if source, err = storedTable(src, s.Related[i].Name); err != nil {
			return nil, err
		}
		if err = report.addRelated(ctx, s, &s.Related[i], source, people); err != nil {
			return nil, err
		}
	}
	report.Clean = report.clean()
	return report, nil
}

// countKeys counts the rows of each key, and under "" those without one. Rows that the schema drops do not count.
func countKeys(ctx context.Context, q request, b *builder, src Source, key string, counts map[string]int) error {
	return readBlocks(ctx, q, b, src, false, relatedBlock, func(d *Dataset) error {
		codes, keys, err := d.Group(key)
		for _, code := range codes {
			if code >= 0 {
				counts[keys[code]]++
			} else {
				counts[""]++
			}
		}
		return err
	})
}

// addRelated adds the report on a related table.
func (r *CheckReport) addRelated(ctx context.Context, s *Schema, t *relatedTable, src Source, people map[string]int) error {
	options := ReadOptions{WithoutTarget: true, Extra: t.extra()}
	q, made := makeRequest(t.schema(s), src.Path, src.Delimiter, options)
	q.related = t.Name
	found, err := checkTable(ctx, q, made, src)
	if errors.Is(err, errNoRecords) {
		found, err = &CheckReport{}, nil
	}
	if err != nil {
		return err
	}
	for _, c := range found.Columns {
		c.Name = t.Name + "." + c.Name
		r.Columns = append(r.Columns, c)
	}
	one := relatedReport{Name: t.Name, Rows: found.Rows, Dropped: found.Dropped, WithoutPerson: found.Rows - found.Dropped}
	counts := map[string]int{}
	q, made = makeRequest(t.schema(s), src.Path, src.Delimiter, options)
	q.related = t.Name
	if err = countKeys(ctx, q, made, src, t.Key, counts); err != nil && !errors.Is(err, errNoRecords) {
		return err
	}
	for key, n := range counts {
		if key != "" && people[key] > 0 {
			one.WithoutPerson -= n
			one.BeyondMaxRows += max(0, n-t.MaxRows)
		}
	}
	r.Related = append(r.Related, one)
	return nil
}
