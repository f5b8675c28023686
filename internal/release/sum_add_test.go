package release

import "github.com/ditherml/dither/internal/kernel"

// Add is AddBlock for the records first, first+1, ….
func (s *Sum) Add(first int, c kernel.Contributions) error {
	b, err := s.rows.Load(first, c.Records(), Block{})
	if err != nil {
		return err
	}
	return s.AddBlock(b, c)
}

// AddAt is AddBlock for the records that are listed.
func (s *Sum) AddAt(records []int, c kernel.Contributions) error {
	b, err := s.rows.LoadAt(records, Block{})
	if err != nil {
		return err
	}
	return s.AddBlock(b, c)
}
