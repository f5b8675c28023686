package evaluate

import (
	"fmt"
	"math"
)

// Private is what a private evaluation says: measures computed from one noisy release, by
// post-processing alone. One of Classification and Regression is nil.
type Private struct {
	// Confidence is the confidence of each interval, one at a time.
	Confidence     float64                `json:"confidence"`
	Classification *PrivateClassification `json:"classification,omitempty"`
	Regression     *PrivateRegression     `json:"regression,omitempty"`
}

// PrivateClassification is how well probabilities foretell classes, as a noisy histogram tells.
type PrivateClassification struct {
	// Records is the noisy number of rows; its interval allows for the noise alone.
	Records  Estimate `json:"records"`
	Accuracy Estimate `json:"accuracy"`
	// MajorityAccuracy is the accuracy of always predicting the level that is most frequent in the release.
	MajorityAccuracy Estimate `json:"majority-accuracy"`
	Levels           []string `json:"levels"`
	// Confusion has shape [true level][predicted level]: noisy counts, which may be negative.
	Confusion [][]float64 `json:"confusion"`
	Precision []Estimate  `json:"precision"`
	Recall    []Estimate  `json:"recall"`
	// AUC is of two levels.
	AUC *Area `json:"auc,omitempty"`
	// ROC, BestAccuracy and BestBalanced are of two levels.
	ROC          []Point `json:"roc,omitempty"`
	BestAccuracy *Choice `json:"best-threshold-for-accuracy,omitempty"`
	BestBalanced *Choice `json:"best-threshold-for-balanced-accuracy,omitempty"`
	Calibration  []Bin   `json:"calibration,omitempty"`
	// GroupColumn and Groups are the measures by declared groups.
	GroupColumn string         `json:"group-column,omitempty"`
	Groups      []PrivateGroup `json:"groups,omitempty"`
}

// Area is an area under the curve in which ties in a bin count 1/2; Resolution bounds how far that moves
// it from the area of the exact scores.
type Area struct {
	Estimate
	Resolution Measure `json:"resolution"`
}

// PrivateGroup holds the measures of one group. AUC, TruePositiveRate and FalsePositiveRate are of two
// levels.
type PrivateGroup struct {
	Level             string    `json:"level"`
	Records           Estimate  `json:"records"`
	Accuracy          Estimate  `json:"accuracy"`
	AUC               *Estimate `json:"auc,omitempty"`
	TruePositiveRate  *Estimate `json:"true-positive-rate,omitempty"`
	FalsePositiveRate *Estimate `json:"false-positive-rate,omitempty"`
}

// restLevel names the rows outside of the declared groups.
const restLevel = "(other or missing)"

// Measures computes the measures of released numbers; it looks at nothing else, so it costs nothing.
func Measures(p Plan, numbers []float64) (Private, error) {
	if err := p.Validate(); err != nil {
		return Private{}, err
	}
	if len(numbers) != p.Numbers() {
		return Private{}, fmt.Errorf("evaluate: the release has %d numbers, want %d of the plan", len(numbers), p.Numbers())
	}
	for _, v := range numbers {
		if v-v != 0 {
			return Private{}, fmt.Errorf("evaluate: a released number is %v, want finite numbers", v)
		}
	}
	out := Private{Confidence: Confidence}
	if p.regression() {
		r := p.regress(numbers)
		out.Regression = &r
		return out, nil
	}
	c := p.classify(numbers)
	out.Classification = &c
	return out, nil
}

func (p Plan) classify(numbers []float64) PrivateClassification {
	all, groups := p.countsOf(numbers)
	out := PrivateClassification{Records: all.records(), Accuracy: all.accuracy(), MajorityAccuracy: unknown(), Levels: p.Levels, Confusion: all.confusion()}
	for k := range p.Levels {
		out.Precision, out.Recall = append(out.Precision, all.precision(k)), append(out.Recall, all.recall(k))
		if s := all.prevalence(k); k == 0 || s.Value > out.MajorityAccuracy.Value {
			out.MajorityAccuracy = s
		}
	}
	if len(p.Levels) == 2 {
		area := all.auc()
		accurate, balanced := all.best(false), all.best(true)
		out.AUC, out.ROC, out.BestAccuracy, out.BestBalanced = &area, all.curve(), &accurate, &balanced
	}
	if p.bins() > 1 {
		out.Calibration = all.calibration()
	}
	if p.GroupColumn == "" {
		return out
	}
	out.GroupColumn = p.GroupColumn
	for g, c := range groups {
		out.Groups = append(out.Groups, c.group(p.groupName(g)))
	}
	return out
}

// groupName is the name of a group.
func (p Plan) groupName(g int) string {
	if g < len(p.Groups) {
		return p.Groups[g]
	}
	return restLevel
}

func (c counts) group(name string) PrivateGroup {
	out := PrivateGroup{Level: name, Records: c.records(), Accuracy: c.accuracy()}
	if len(c.plan.Levels) == 2 {
		area := c.auc()
		hits, alarms := c.recall(1), c.falseAlarms()
		out.AUC, out.TruePositiveRate, out.FalsePositiveRate = &area.Estimate, &hits, &alarms
	}
	return out
}

// PrivateRegression is how well predictions foretell a number. Residuals are cut at the plan's
// ResidualBound.
type PrivateRegression struct {
	Records Estimate `json:"records"`
	// RMSE is the root of the mean squared residual, MAE the mean of the magnitudes.
	RMSE Estimate `json:"rmse"`
	MAE  Estimate `json:"mae"`
	// R2 is 1 - mean squared residual / variance of the target. Its interval takes the two errors as if they
	// went together, and the variance's from the range of the target alone, so it errs on the wide side.
	R2          Estimate                 `json:"r2"`
	GroupColumn string                   `json:"group-column,omitempty"`
	Groups      []PrivateRegressionGroup `json:"groups,omitempty"`
}

// PrivateRegressionGroup holds the measures of one group.
type PrivateRegressionGroup struct {
	Level   string   `json:"level"`
	Records Estimate `json:"records"`
	RMSE    Estimate `json:"rmse"`
	MAE     Estimate `json:"mae"`
	R2      Estimate `json:"r2"`
}

func (p Plan) regress(numbers []float64) PrivateRegression {
	sum := make([]float64, momentNumbers)
	var groups []PrivateRegressionGroup
	for g := range p.groups() {
		m := numbers[g*momentNumbers : (g+1)*momentNumbers]
		groups = append(groups, moments{p, m, p.Variance(), p.spread()}.group(p.groupName(g)))
		for j, v := range m {
			sum[j] += v
		}
	}
	all := moments{p, sum, p.Variance() * float64(p.groups()), p.spread()}.group("")
	out := PrivateRegression{Records: all.Records, RMSE: all.RMSE, MAE: all.MAE, R2: all.R2}
	if p.GroupColumn != "" {
		out.GroupColumn, out.Groups = p.GroupColumn, groups
	}
	return out
}

// moments are the six noisy sums that Plan describes, with noise of one variance.
type moments struct {
	plan    Plan
	numbers []float64
	noise   float64
	spread
}

func (m moments) group(name string) PrivateRegressionGroup {
	n, cut := m.numbers[0], m.plan.ResidualBound
	first, second, fourth := m.numbers[1]+n/2, m.numbers[2]+n/2, m.numbers[3]+n/2
	squares := m.mean(second, n, m.noise, max(0, fourth/n-second*second/n/n))
	magnitudes := m.mean(first, n, m.noise, max(0, second/n-first*first/n/n))
	root := func(v Measure) Measure { return Measure(cut * math.Sqrt(float64(v))) }
	return PrivateRegressionGroup{Level: name, Records: around(n, m.quantile(m.noise, m.noise)*math.Sqrt(m.noise), 0, float64(m.plan.MaxRecords)),
		RMSE: Estimate{root(squares.Value), root(squares.Low), root(squares.High)},
		MAE:  Estimate{Measure(cut) * magnitudes.Value, Measure(cut) * magnitudes.Low, Measure(cut) * magnitudes.High},
		R2:   m.explained(second/n, max(0, fourth/n-second*second/n/n))}
}

// explained is R² from the mean square of cut residuals and its variance over rows.
func (m moments) explained(square, squareVariance float64) Estimate {
	n, width := m.numbers[0], m.plan.Upper-m.plan.Lower
	mu, second := m.numbers[4]/n, m.numbers[5]/n+0.5
	variance := second - mu*mu
	if !(n > 0) || !(variance > 0) {
		return unknown()
	}
	reach := (1 + math.Abs(mu)) * (1 + math.Abs(mu))
	residual := math.Sqrt(m.rows*squareVariance/n + m.noise*(1+(0.5-square)*(0.5-square))/n/n)
	tilt := 0.5 + 2*mu*mu - second
	target := math.Sqrt(m.rows*max(0, variance*(reach-variance))/n + m.noise*(1+4*mu*mu+tilt*tilt)/n/n)
	scale := 4 * m.plan.ResidualBound * m.plan.ResidualBound / width / width
	deviation := scale * (residual/variance + math.Abs(square)*target/variance/variance)
	return around(1-scale*square/variance, quantile(laplaceExcess)*deviation, math.Inf(-1), 1)
}
