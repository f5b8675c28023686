package train

import (
	"errors"
	"math"
	"runtime"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
)

const (
	// radiusBins is the number of bins for the norms of rows.
	radiusBins = 128
	// binsOfDouble is the number of bins between a norm and its double.
	binsOfDouble = 8
)

// learnRadius pays for a histogram of the norms of rows and takes the median as the radius to which
// rows are clipped. All later bounds are in units of the radius. A record is a person if persons
// are listed.
func (statistic PreparationStep) learnRadius(terms pass.Settings, t *table, out *prepared) error {
	h, counts, err := statistic.countNorms(terms, t, out)
	if err != nil {
		return err
	}
	out.setup = out.setup.inUnits(h.edge(medianBin(counts)))
	m := *out.setup.Features
	out.features = &m
	t.rows, err = t.rows.Standardized(frame(before(&m)))
	return err
}

// countNorms pays for the histogram.
func (statistic PreparationStep) countNorms(terms pass.Settings, t *table, out *prepared) (histogram, []float64, error) {
	own, err := t.rows.Standardized(release.Standardization{})
	if err != nil {
		return histogram{}, nil, err
	}
	h, records := histogram{rows: own, largest: largestNorm(out.features.Pipeline), persons: t.persons}, t.records
	if t.persons != nil {
		records = len(t.persons)
	}
	if t.file != nil {
		if h.bins, err = h.readBins(); err != nil {
			return histogram{}, nil, err
		}
	}
	counts, err := pass.SumVectors(terms, records, radiusBins, statistic.Bound, h.norms)
	return h, counts, err
}

// histogram counts norms in bins of equal ratio up to the largest norm. The first bin also has all
// smaller norms.
type histogram struct {
	rows    *release.Rows // as they are, before normalization
	largest float64
	persons [][]int // nil: a record is a row
	bins    []uint8 // of all rows, plus 1, and 0 for a row of zeros; nil: norms reads the rows
}

// readBins returns the bins of all rows. It reads each block of a file once.
func (h histogram) readBins() ([]uint8, error) {
	bins, errs := make([]uint8, h.rows.Len()), make([]error, runtime.GOMAXPROCS(0))
	scan := h.rows.Scan(len(errs))
	parallel.Each(len(errs), func(part int) {
		errs[part] = scan.Each(part, func(b release.Block) error {
			for i := range b.Len() {
				if norm := b.Norm(i); norm > 0 {
					bins[b.Record(i)-h.rows.First()] = uint8(h.bin(norm)) + 1
				}
			}
			return nil
		})
	})
	return bins, errors.Join(errs...)
}

// largestNorm returns a public bound on the norm of the features of a row.
func largestNorm(c *feature.Pipeline) float64 {
	bound, _ := c.Bound()
	return bound * math.Sqrt(float64(c.Dim()))
}

// edge returns the norm at the end of k bins.
func (h histogram) edge(k int) float64 {
	return h.largest * math.Exp2(float64(k-radiusBins)/binsOfDouble)
}

// bin returns the bin of a norm above 0.
func (h histogram) bin(norm float64) int {
	k := radiusBins - 1 + int(math.Ceil(binsOfDouble*math.Log2(norm/h.largest)))
	return max(0, min(radiusBins-1, k))
}

// norms counts the rows of each listed record in the bins of their norms. A row of zeros is not
// counted. The rows of a record that is listed alone are read again, because such calls check the
// others.
func (h histogram) norms(_ int, dst []float64, records []int) error {
	var rows, owner []int
	for k, record := range records {
		own := []int{record}
		if h.persons != nil {
			own = h.persons[record]
		}
		for _, i := range own {
			rows, owner = append(rows, i), append(owner, k)
		}
	}
	if h.bins != nil && len(records) > 1 {
		for i, k := range owner {
			if bin := h.bins[rows[i]-h.rows.First()]; bin > 0 {
				dst[k*radiusBins+int(bin)-1]++
			}
		}
		return nil
	}
	block, err := h.rows.LoadAt(rows, release.Block{})
	if err != nil {
		return err
	}
	for i, k := range owner {
		if norm := block.Norm(i); norm > 0 {
			dst[k*radiusBins+h.bin(norm)]++
		}
	}
	return nil
}

// medianBin returns how many bins end at the upper end of the median's bin. The median is the place
// with the smallest sum of distances to all counts. That place does not depend on the noise of
// single bins. The first bin below which half of the noisy counts lie does depend on it.
func medianBin(counts []float64) int {
	best, least := 0, math.Inf(1)
	for k := range counts {
		sum := 0.0
		for j, c := range counts {
			sum += c * math.Abs(float64(j-k))
		}
		if sum < least {
			best, least = k+1, sum
		}
	}
	return best
}

// inUnits returns the setup with every number that is in units of the radius multiplied by the
// learned radius. Noise multipliers, and so the event, stay.
func (s Setup) inUnits(radius float64) Setup {
	m := *s.Features
	m.Radius, m.Intercept = radius, m.Intercept*radius
	s.Features = &m
	s.Plan.Clipping.Norm *= radius
	s.Plan.Clipping.Bound *= radius
	preparation := append([]PreparationStep(nil), s.Plan.Preparation...)
	for i, statistic := range preparation {
		switch {
		case ofMean(statistic.Kind):
			preparation[i].Bound *= radius
		case isWhitening(statistic.Kind):
			preparation[i].Bound *= radius * radius
		}
	}
	s.Plan.Preparation = preparation
	return s
}
