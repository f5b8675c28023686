package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draws returns records of a population, and released numbers about them.
func (s scored) draws(r *rand.Rand, p Plan, n int) []float64 {
	records := Records{}
	for range n {
		label, odds := 0.0, s.middle+0.8*r.NormFloat64()
		if r.Float64() < s.share {
			label, odds = 1, odds+s.shift
		}
		records.Targets, records.Predictions = append(records.Targets, label), append(records.Predictions, 1/(1+math.Exp(-odds)))
	}
	noisy := make([]float64, p.Numbers())
	for i := range records.Targets {
		p.addRow(noisy, records, i)
	}
	for j := range noisy {
		noisy[j] += noiseOf(r, p)
	}
	return noisy
}

// exactly returns the average precision of the population, and its calibration error over the rows of a plan's
// table, by sums over 100 000 values of the log-odds.
func (s scored) exactly(p Plan) (precision, calibration float64) {
	const steps = 100_000
	width := (s.shift + 16*0.8) / steps
	density := func(x float64) float64 { return math.Exp(-x*x/2/0.64) / 0.8 / math.Sqrt(2*math.Pi) * width }
	rows := (counts{plan: &p}).calibrationParts()
	wrong := make([]float64, len(rows))
	ones, all := 0.0, 0.0
	at := len(rows) - 1
	for k := range steps {
		odds := s.middle + s.shift + 8*0.8 - (float64(k)+0.5)*width
		probability := 1 / (1 + math.Exp(-odds))
		one, zero := s.share*density(odds-s.middle-s.shift), (1-s.share)*density(odds-s.middle)
		precision += one * (ones + one/2) / (all + (one+zero)/2)
		ones, all = ones+one, all+one+zero
		for at > 0 && probability <= p.Edges[rows[at].first] {
			at--
		}
		wrong[at] += one - probability*(one+zero)
	}
	for _, v := range wrong {
		calibration += math.Abs(v)
	}
	return precision / ones, calibration / all
}

// checkShapes wants the intervals of the average precision and of the calibration error to hold the numbers of the
// population in at least 95 % of the draws, less the tolerance.
func checkShapes(t *testing.T, p Plan, s scored, n, rounds int, tolerance float64) (precisionWidth, errorWidth float64) {
	t.Helper()
	precision, calibration := s.exactly(p)
	all := simulation(uint64(n), rounds, func(r *rand.Rand, to coverages) {
		of := p.classify(s.draws(r, p, n))
		to.add("precision", *of.AveragePrecision, precision)
		to.add("calibration", *of.CalibrationError, calibration)
		add := func(name string, v Measure) {
			sum := to[name]
			sum.of += float64(v)
			to[name] = sum
		}
		add("precision width", of.AveragePrecision.High-of.AveragePrecision.Low)
		add("calibration width", of.CalibrationError.High-of.CalibrationError.Low)
		add("precision value", of.AveragePrecision.Value)
		add("calibration value", of.CalibrationError.Value)
	})
	times := float64(rounds)
	for name, truth := range map[string]float64{"precision": precision, "calibration": calibration} {
		share := all[name].held / all[name].of
		t.Logf("%s, %d bins, %+v, %d rows, noise %.3g: %.4f of the intervals hold %.4f; mean value %.4f, mean width %.3f", name, p.bins(), s, n, p.NoiseMultiplier, share, truth, all[name+" value"].of/times, all[name+" width"].of/times)
		if all[name].none > 0 || !(share >= confidence-tolerance) {
			t.Errorf("%s, %+v, %d rows, %d bins: %.4f of the intervals hold %.4f, want at least %v within %v", name, s, n, p.bins(), share, truth, confidence, tolerance)
		}
	}
	return all["precision width"].of / times, all["calibration width"].of / times
}

// calibratedScores have probabilities that are right.
var calibratedScores = scored{middle: -0.32, shift: 0.64, share: 0.5}

// TestShapesOfScoresCover draws from seeded streams, so that its outcome is fixed.
func TestShapesOfScoresCover(t *testing.T) {
	for _, s := range []scored{rareScores, {0, 1, 0.5}, calibratedScores} {
		if width, _ := checkShapes(t, scoredPlan(t, Request{}, 1), s, 1500, 150, 0.05); width > 0.9 {
			t.Errorf("%+v: the intervals of the average precision are %v wide, want some that say something", s, width)
		}
	}
	gaussian := scoredPlan(t, Request{}, 4)
	gaussian.Noise = noiseGaussian
	_, errorWidth := checkShapes(t, gaussian, calibratedScores, 3000, 150, 0.05)
	if errorWidth > 0.5 {
		t.Errorf("the intervals of the calibration error are %v wide, want less than 0.5", errorWidth)
	}
}

// TestAveragePrecisionOfStrips compares the three values of a tie with sums over single records: in strips of many
// records they are near, and the first and the last bound every order.
func TestAveragePrecisionOfStrips(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for range 20 {
		all := make([]strip, 5)
		for i := range all {
			all[i] = strip{float64(200 + r.IntN(800)), float64(200 + r.IntN(800))}
		}
		for _, tie := range []float64{tieLost, tieHalf, tieWon} {
			sum, ones, both := 0.0, 0.0, 0.0
			for _, s := range all {
				one, zero := int(s.one), int(s.zero)
				for k := range one {
					above := 0.0
					switch tie {
					case tieLost:
						above = s.zero
					case tieHalf:
						above = s.zero * (float64(k) + 0.5) / s.one
					}
					sum += (ones + float64(k) + 1) / (both + float64(k) + 1 + above)
				}
				ones, both = ones+float64(one), both+float64(one+zero)
			}
			if got, want := averagePrecision(all, tie), sum/ones; math.Abs(got-want) > 2e-3 {
				t.Errorf("%v, tie %v: got %v, want %v", all, tie, got, want)
			}
		}
	}
}

// TestErrorOfPrecision compares the mean error and the deviation with those of 20 000 seeded draws of counts and noise.
func TestErrorOfPrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	p := scoredPlan(t, Request{Bins: 8}, 6)
	ideal := []float64{400, 300, 200, 150, 120, 100, 60, 30, 20, 40, 60, 70, 90, 120, 150, 90}
	for _, tie := range []float64{tieLost, tieHalf, tieWon} {
		const rounds = 20000
		sum, squares := 0.0, 0.0
		at := counts{plan: &p, cells: ideal, noise: p.variance(), spread: p.spread()}
		first := at.clearBins()
		truth := averagePrecision(strips(ideal[:8], ideal[8:], first), tie)
		for range rounds {
			cells := make([]float64, len(ideal))
			for j, v := range ideal {
				cells[j] = v + math.Sqrt(v)*r.NormFloat64() + noiseOf(r, p)
			}
			got := averagePrecision(strips(cells[:8], cells[8:], first), tie) - truth
			sum, squares = sum+got/rounds, squares+got*got/rounds
		}
		center, deviation := at.errorOfPrecision(first, tie)
		measured := math.Sqrt(squares - sum*sum)
		if math.Abs(deviation/measured-1) > 0.05 || math.Abs((truth-center)-sum) > 0.1*measured {
			t.Errorf("tie %v: got deviation %v and mean error %v, measured %v and %v", tie, deviation, truth-center, measured, sum)
		}
	}
}

// TestExactShapes compares the exact measures with sums over pairs and over bins, with ties.
func TestExactShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for n := 2; n < 60; n++ {
		labels, p := make([]int, n), make([]float64, n)
		for i := range n {
			labels[i], p[i] = r.IntN(2), float64(r.IntN(41))/40
		}
		labels[0], labels[1] = 0, 1
		c, err := Classify([]string{"no", "yes"}, labels, p, 0.5, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, ones := 0.0, 0.0
		for i := range n {
			if labels[i] == 0 {
				continue
			}
			ones++
			hits, above := 0.0, 0.0
			for j := range n {
				if p[j] >= p[i] {
					above++
					hits += float64(labels[j])
				}
			}
			sum += hits / above
		}
		if want := sum / ones; math.Abs(float64(c.AveragePrecision)-want) > 1e-12 {
			t.Errorf("%d records: got average precision %v, want %v", n, c.AveragePrecision, want)
		}
		wrong, counted := 0.0, 0.0
		for k := range reliabilityBins {
			d := 0.0
			for i := range n {
				if at := p[i] * reliabilityBins; at > float64(k) && at <= float64(k+1) || at == 0 && k == 0 {
					d += float64(labels[i]) - p[i]
					counted++
				}
			}
			wrong += math.Abs(d)
		}
		if want := wrong / float64(n); counted != float64(n) || math.Abs(float64(c.CalibrationError)-want) > 1e-12 {
			t.Errorf("%d records: got calibration error %v, want %v", n, c.CalibrationError, want)
		}
	}
}

// TestShapesOfPersons: persons with several rows have values without intervals.
func TestShapesOfPersons(t *testing.T) {
	p := testPlans()["two levels, persons"]
	numbers := make([]float64, p.Numbers())
	for j := range numbers {
		numbers[j] = 100
	}
	m, err := Measures(p, numbers)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]Estimate{"average precision": *m.Classification.AveragePrecision, "calibration error": *m.Classification.CalibrationError} {
		if !e.Value.Defined() || e.Low.Defined() || e.High.Defined() || e.Rate != "" {
			t.Errorf("%s: got %+v, want a value without an interval", name, e)
		}
	}
}
