package spot

import (
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/picks"
	"github.com/ditherml/dither/internal/release"
)

// Records is the scratch in which one goroutine recomputes proposals of picked records.
type Records struct {
	picker picks.Picker
	blocks []release.Block // of the record, for each sum
	room   []release.Block // the memory of one block for each sum
	c      []kernel.Contributions
}

// NewRecords returns scratch for records that add to this number of sums.
func NewRecords(p picks.Picker, sums int) *Records {
	return &Records{picker: p, blocks: make([]release.Block, sums), room: make([]release.Block, sums), c: make([]kernel.Contributions, sums)}
}

// Agree reports whether each picked record of a block, computed alone, has its proposal in c.
func (s *Records) Agree(c *kernel.Contributions, b release.Block, propose func(c *kernel.Contributions, b release.Block)) bool {
	return s.picker.Agree(b.Len(), func(i int) bool {
		alone, err := b.Alone(i, s.room[0])
		if err != nil {
			return false
		}
		s.room[0] = alone
		propose(&s.c[0], alone)
		return sameProposal(c, i, &s.c[0])
	})
}

// AgreeAll is Agree for several sums over the same records. Adjacent blocks of the same rows must be
// the same block.
func (s *Records) AgreeAll(c []kernel.Contributions, blocks []release.Block, propose func(c []kernel.Contributions, blocks []release.Block)) bool {
	return s.picker.Agree(blocks[0].Len(), func(i int) bool {
		for k := range blocks {
			if k > 0 && blocks[k].OfSameRows(&blocks[k-1]) {
				s.blocks[k] = s.blocks[k-1]
				continue
			}
			alone, err := blocks[k].Alone(i, s.room[k])
			if err != nil {
				return false
			}
			s.room[k], s.blocks[k] = alone, alone
		}
		propose(s.c, s.blocks)
		for k := range c {
			if !sameProposal(&c[k], i, &s.c[k]) {
				return false
			}
		}
		return true
	})
}

// sameProposal reports whether record i of all has the proposal of the one record in alone.
func sameProposal(all *kernel.Contributions, i int, alone *kernel.Contributions) bool {
	n := all.Columns
	return alone.Columns == n && Same(all.Coefficients[i*n:(i+1)*n], alone.Coefficients)
}
