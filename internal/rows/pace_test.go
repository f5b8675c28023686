package rows

import (
	"testing"
	"time"
)

// TestPaceTakesTheFasterWay runs parts that take longer in one way, while one part in five of the other is delayed much,
// and then turns the ways around: most parts go the faster way, in both halves, and some try the other.
func TestPaceTakesTheFasterWay(t *testing.T) {
	const parts = 6400
	var p Pace
	for _, faster := range []int{Copied, InPlace} {
		taken := [2]int{}
		for i := range parts {
			way := p.next()
			taken[way]++
			lasted := 1800 * time.Microsecond
			if way == faster {
				lasted = 1300 * time.Microsecond
			}
			if way == faster && i%5 == 0 {
				lasted *= 20 // for another reason
			}
			p.note(way, 1<<20, lasted)
		}
		if other := taken[1-faster]; other < parts/rarelyEvery/2 || other > parts/4 {
			t.Errorf("%d of %d parts took the slower way, want a few", other, parts)
		}
	}
	if way := p.next(); way != InPlace {
		t.Errorf("way %d is taken last, want the one that was faster in the end", way)
	}
	p = Pace{}
	if p.note(p.next(), 0, time.Second); p.Took != [2]float64{} {
		t.Error("a part of no bytes has a speed")
	}
}
