package reproduce

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/mechanism"
)

// clipMean adds the lecture's question about clipping after averaging. It is the mean of numbers in
// [0, 1], at ε = 1, one number replaced, with Laplace noise.
func (t *table) clipMean(runs int) (figure.Figure, error) {
	const truth = 0.5
	names := []string{"numbers clipped to [0, 1] before averaging", "average clipped to [0, 1]", "average clipped to [0, 1/n]"}
	curves := make([][]figure.Point, len(names))
	for _, n := range []int{10, 100, 1000, 10000} {
		// These are the largest changes by one number: 1 of the sum of n, 1 of the mean, 1/n of the
		// mean cut to 1/n.
		moves := []float64{1, 1, 1 / float64(n)}
		for i := range names {
			var off sample
			for range runs {
				released, err := laplace(min(truth, []float64{math.Inf(1), 1, 1 / float64(n)}[i])*[]float64{float64(n), 1, 1}[i], moves[i])
				if err != nil {
					return figure.Figure{}, err
				}
				off = append(off, math.Abs(released/[]float64{float64(n), 1, 1}[i]-truth))
			}
			curves[i] = append(curves[i], off.point(float64(n), 1))
			if n == 1000 {
				t.random(fmt.Sprintf("private mean of 1000 numbers of [0, 1] with mean 0.5, ε = 1, %s: mean absolute error", names[i]), []string{"Lap(1/(εn)): 0.001", "Lap(1/ε): 1", "bias 1/2 - 1/n: 0.499"}[i], off, 1, "",
					[]string{"no difference", "no difference: one number can move the clipped mean from 0 to 1, so more records do not help", "no difference: the noise is small, but the clipped mean is at most 1/n"}[i])
			}
		}
	}
	f := figure.Figure{Name: "clip-before-or-after", Title: "A private mean, clipped before or after averaging, epsilon 1", Command: "dither reproduce theorems",
		Panels: []figure.Panel{{X: figure.Axis{Label: "records", Log: true}, Y: figure.Axis{Label: "mean distance from the true mean", Log: true}}}}
	for i, name := range names {
		f.Panels[0].Series = append(f.Panels[0].Series, figure.Series{Name: name, Points: curves[i]})
	}
	return f, nil
}

// laplace returns a number with Laplace noise of this scale, drawn by the mechanism that trains and
// answers queries.
func laplace(v, scale float64) (float64, error) {
	const reach = 1 << 20 // the largest ratio of the number to the scale
	if math.Abs(v) > reach*scale {
		return 0, fmt.Errorf("reproduce: the number is %v, want at most %v", v, reach*scale)
	}
	terms := pass.Settings{Payer: free{}, Noise: mechanism.KNorm{NoiseMultiplier: scale / max(scale, math.Abs(v))}, MaxRecords: 1}
	out, err := pass.SumVectors(terms, 1, 1, max(scale, math.Abs(v)), func(_ int, dst []float64, _ []int) error {
		dst[0] = v
		return nil
	})
	if err != nil {
		return 0, err
	}
	return out[0], nil
}
