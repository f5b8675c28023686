package evaluate

import "fmt"

// Private is the result of a private evaluation. All measures are computed from one noisy release.
// Exactly one of Classification and Regression is set.
type Private struct {
	// Confidence is the confidence of each single interval, a probability. Estimate.Rate states
	// whether the coverage of an interval may be larger.
	Confidence float64 `json:"confidence"`
	// Classification contains the measures if the target has levels. Otherwise it is nil.
	Classification *PrivateClassification `json:"classification,omitempty"`
	// Regression contains the measures if the target is numeric. Otherwise it is nil.
	Regression *PrivateRegression `json:"regression,omitempty"`
}

// PrivateClassification contains measures of predicted class probabilities. They are computed from
// a noisy histogram.
type PrivateClassification struct {
	// Records is the noisy number of rows. Its interval allows for the noise and not for sampling.
	Records Estimate `json:"records"`
	// Accuracy is the share of rows whose predicted level is their true level.
	Accuracy Estimate `json:"accuracy"`
	// MajorityAccuracy is the accuracy of a model that always predicts one level: the most frequent
	// level in the noisy histogram.
	MajorityAccuracy Estimate `json:"majority-accuracy"`
	// Levels are the names of the classes.
	Levels []string `json:"levels"`
	// Confusion is the confusion matrix: Confusion[i][j] is the noisy number of rows with true
	// level i and predicted level j. It may be negative.
	Confusion [][]float64 `json:"confusion"`
	// Precision has one share for each level. It is computed from the rows for which the level is
	// predicted: the share whose true level is this level.
	Precision []Estimate `json:"precision"`
	// Recall has one share for each level. It is computed from the rows whose true level is this
	// level: the share for which the level is predicted.
	Recall []Estimate `json:"recall"`
	// AUC is the area under the receiver operating characteristic. It is nil if there are more than
	// two levels.
	AUC *Area `json:"auc,omitempty"`
	// AveragePrecision is the mean of the precision over the rows of the second level. The
	// precision of a row is computed at the threshold of the row's score. The interval allows for
	// the unknown order of the scores inside bins. AveragePrecision is nil if there are more than
	// two levels.
	AveragePrecision *Estimate `json:"average-precision,omitempty"`
	// CalibrationError is the expected calibration error. Each row of Calibration has a difference
	// between probability and frequency. CalibrationError is the mean of the magnitude of this
	// difference over the records. The interval allows for the unknown probabilities inside bins.
	// It is nil if there are more than two levels or one score bin.
	CalibrationError *Estimate `json:"calibration-error,omitempty"`
	// ROC contains the points of the receiver operating characteristic, from the highest threshold
	// to the lowest. It is nil if there are more than two levels.
	ROC []Point `json:"roc,omitempty"`
	// BestAccuracy is the threshold with the highest accuracy. It is nil if there are more than two
	// levels.
	BestAccuracy *Choice `json:"best-threshold-for-accuracy,omitempty"`
	// BestBalanced is the threshold with the highest balanced accuracy, which is the mean of the
	// two recalls. It is nil if there are more than two levels.
	BestBalanced *Choice `json:"best-threshold-for-balanced-accuracy,omitempty"`
	// Calibration is the calibration table. Neighboring score bins are joined, so that the table
	// has at most about 20 rows. It is nil if the plan has only one score bin.
	Calibration []Bin `json:"calibration,omitempty"`
	// GroupColumn is the column by which Groups is split, or "".
	GroupColumn string `json:"group-column,omitempty"`
	// Groups are the measures for each declared level of GroupColumn, and at the end for all other
	// rows.
	Groups []PrivateGroup `json:"groups,omitempty"`
}

// Area is an area under the receiver operating characteristic, computed from binned scores. In
// Value, a tie of two scores within a bin counts 1/2. The confidence set is for the area of the
// exact scores. Its lower end allows for the case that every tie counts 0, and its upper end for
// the case that every tie counts 1.
type Area struct {
	Estimate
	// Resolution is an estimate of the largest error that the bins can cause in Value. It does not
	// include errors that noise and sampling cause.
	Resolution Measure `json:"resolution"`
}

// PrivateGroup contains the measures of the rows of one group.
type PrivateGroup struct {
	// Level is the level of the group column, or a name for all other rows.
	Level string `json:"level"`
	// Records is the noisy number of rows of the group.
	Records Estimate `json:"records"`
	// Accuracy is the share of the group's rows whose predicted level is their true level.
	Accuracy Estimate `json:"accuracy"`
	// AUC is the area under the receiver operating characteristic for the group's rows. It is nil
	// if there are more than two levels.
	AUC *Estimate `json:"auc,omitempty"`
	// TruePositiveRate is computed from the group's rows whose true level is the second level: the
	// share for which the second level is predicted. It is nil if there are more than two levels.
	TruePositiveRate *Estimate `json:"true-positive-rate,omitempty"`
	// FalsePositiveRate is computed from the group's rows whose true level is the first level: the
	// share for which the second level is predicted. It is nil if there are more than two levels.
	FalsePositiveRate *Estimate `json:"false-positive-rate,omitempty"`
}

// restLevel is the name of the rows outside the declared groups.
const restLevel = "(other or missing)"

// Measures returns the measures of a private evaluation. The argument numbers is the result of
// Release for plan p. Measures reads no record, so it costs no privacy. Numbers that do not fit the
// plan are an error.
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
		area, precision := all.auc(), all.averagePrecision()
		out.AveragePrecision = &precision
		accurate, balanced := all.best(false), all.best(true)
		out.AUC, out.ROC, out.BestAccuracy, out.BestBalanced = &area, all.curve(), &accurate, &balanced
	}
	if p.bins() > 1 {
		out.Calibration = all.calibration()
	}
	if len(p.Levels) == 2 && p.bins() > 1 {
		e := all.calibrationError()
		out.CalibrationError = &e
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
