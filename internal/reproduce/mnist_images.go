package reproduce

import (
	"context"
	"fmt"
	"runtime"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/model"
)

// images is a public set of images in memory.
type images struct {
	schema         *data.Schema
	training, test *data.Dataset
}

// openImages reads a set from the folder of data sets.
func openImages(ctx context.Context, s public.Set, folder string) (images, error) {
	schema, err := s.Schema()
	if err != nil {
		return images{}, err
	}
	training, test, err := s.Read(ctx, schema, folder)
	return images{schema, training, test}, err
}

// validation returns the divided training part: every sixth record serves as test part, and the
// real test part stays unseen. Settings are chosen there.
func (m images) validation() images {
	var rest, sixth []int
	for i := range m.training.Records() {
		if i%6 == 5 {
			sixth = append(sixth, i)
		} else {
			rest = append(rest, i)
		}
	}
	schema := *m.schema
	schema.Records = len(rest)
	return images{&schema, m.training.Take(rest), m.training.Take(sixth)}
}

// accuracy returns the share of the test part that a model predicts correctly, in percent.
func (m images) accuracy(of *model.Model) (float64, error) {
	n, parts := m.test.Records(), runtime.GOMAXPROCS(0)
	if n == 0 {
		return 0, fmt.Errorf("reproduce: the test part has no records, want some")
	}
	right := make([]int, parts)
	parallel.Each(parts, func(part int) { right[part] = m.right(of, part*n/parts, (part+1)*n/parts) })
	sum := 0
	for _, r := range right {
		sum += r
	}
	return 100 * float64(sum) / float64(n), nil
}

// right counts the records from first to end that a model predicts correctly.
func (m images) right(of *model.Model, first, end int) int {
	scratch, prediction := of.NewScratch(), make([]float64, of.Outputs())
	values, count := make([]float32, of.Features().Encoder().Values()), 0
	for i := first; i < end; i++ {
		of.Predict(prediction, m.test.Row(values, i), scratch)
		if largest(prediction) == int(m.test.Target()[i]) {
			count++
		}
	}
	return count
}

// largest returns the index of the first of the largest numbers.
func largest(numbers []float64) int {
	best := 0
	for k, v := range numbers {
		if v > numbers[best] {
			best = k
		}
	}
	return best
}
