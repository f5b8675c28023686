package spot

import (
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
)

// Records is the scratch in which one goroutine recomputes proposals of picked records.
type Records struct {
	picks  Picks
	blocks []release.Block // of the record, for each sum
	c      []kernel.Contributions
}

// NewRecords returns scratch for records that add to this number of sums.
func NewRecords(p Picks, sums int) *Records {
	return &Records{picks: p, blocks: make([]release.Block, sums), c: make([]kernel.Contributions, sums)}
}

// Agree reports whether each picked record of a block, computed alone, has its proposal in c.
func (s *Records) Agree(c *kernel.Contributions, b release.Block, propose func(c *kernel.Contributions, b release.Block)) bool {
	return s.picks.Agree(b.Len(), func(i int) bool {
		alone, err := b.Alone(i, s.blocks[0])
		if err != nil {
			return false
		}
		s.blocks[0] = alone
		propose(&s.c[0], s.blocks[0])
		return sameProposal(c, i, &s.c[0])
	})
}

// AgreeAll is Agree for several sums over the same records.
func (s *Records) AgreeAll(c []kernel.Contributions, blocks []release.Block, propose func(c []kernel.Contributions, blocks []release.Block)) bool {
	return s.picks.Agree(blocks[0].Len(), func(i int) bool {
		for k := range blocks {
			alone, err := blocks[k].Alone(i, s.blocks[k])
			if err != nil {
				return false
			}
			s.blocks[k] = alone
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
