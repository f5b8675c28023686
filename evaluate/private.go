package evaluate

import "fmt"

// Private is the result of a private evaluation. All measures are computed from one noisy release.
// Either Classification or Regression is set; the other is nil.
type Private struct {
	// Confidence is the confidence of each single interval. Estimate.Rate states whether the
	// coverage may be larger.
	Confidence     float64                `json:"confidence"`
	Classification *PrivateClassification `json:"classification,omitempty"`
	Regression     *PrivateRegression     `json:"regression,omitempty"`
}

// PrivateClassification contains measures of predicted class probabilities, computed from a noisy
// histogram.
type PrivateClassification struct {
	// Records is the noisy number of rows. Its interval allows for the noise only.
	Records  Estimate `json:"records"`
	Accuracy Estimate `json:"accuracy"`
	// MajorityAccuracy is the accuracy of always predicting the most frequent level of the release.
	MajorityAccuracy Estimate `json:"majority-accuracy"`
	Levels           []string `json:"levels"`
	// Confusion contains noisy counts with shape [true level][predicted level]. They may be
	// negative.
	Confusion [][]float64 `json:"confusion"`
	Precision []Estimate  `json:"precision"`
	Recall    []Estimate  `json:"recall"`
	// AUC is the area under the receiver operating characteristic. It is set for two levels only.
	AUC *Area `json:"auc,omitempty"`
	// ROC, BestAccuracy and BestBalanced are set for two levels only.
	ROC          []Point `json:"roc,omitempty"`
	BestAccuracy *Choice `json:"best-threshold-for-accuracy,omitempty"`
	BestBalanced *Choice `json:"best-threshold-for-balanced-accuracy,omitempty"`
	Calibration  []Bin   `json:"calibration,omitempty"`
	// GroupColumn is the column of the groups. Groups are the measures for its declared levels.
	GroupColumn string         `json:"group-column,omitempty"`
	Groups      []PrivateGroup `json:"groups,omitempty"`
}

// Area is an area under the receiver operating characteristic, computed from binned scores. In
// Value, ties within a bin count 1/2. Resolution bounds the distance of Value from the area of the
// exact scores, apart from noise and sampling. The interval is for the area of the exact scores. It
// ranges from the low end for the area with all ties lost to the high end for the area with all
// ties won.
type Area struct {
	Estimate
	Resolution Measure `json:"resolution"`
}

// PrivateGroup contains the measures of one group. AUC, TruePositiveRate and FalsePositiveRate are
// set for two levels only.
type PrivateGroup struct {
	Level             string    `json:"level"`
	Records           Estimate  `json:"records"`
	Accuracy          Estimate  `json:"accuracy"`
	AUC               *Estimate `json:"auc,omitempty"`
	TruePositiveRate  *Estimate `json:"true-positive-rate,omitempty"`
	FalsePositiveRate *Estimate `json:"false-positive-rate,omitempty"`
}

// restLevel is the name of the rows outside the declared groups.
const restLevel = "(other or missing)"

// Measures returns the measures that follow from the released numbers. It reads no record, so it
// costs nothing. Numbers that do not fit the plan are an error.
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
	out := Private{Confidence: confidence}
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
	out := PrivateClassification{Records: all.records(), Accuracy: all.accuracy(), MajorityAccuracy: all.majority(), Levels: p.Levels, Confusion: all.confusion()}
	for k := range p.Levels {
		out.Precision, out.Recall = append(out.Precision, all.precision(k)), append(out.Recall, all.recall(k))
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
