package evaluate

import (
	"math"
	"slices"
)

// Tolerances of the probabilities that Classify accepts, and the clip of its
// log-loss.
const (
	// logLossClip bounds a probability away from 0 before its logarithm is taken. So one confident
	// mistake costs 34.5 and not infinity.
	logLossClip = 1e-15
	// rangeSlack is the distance by which rounding may carry a probability outside [0, 1].
	rangeSlack = 1e-9
	// sumSlack is the largest distance from 1 of the sum of one record's probabilities.
	sumSlack = 1e-3
)

// Classification contains exact measures of predicted class probabilities.
type Classification struct {
	// Records is the number of records.
	Records int `json:"records"`
	// Undefined is the number of records with a predicted probability that is NaN. These records
	// count as wrong and are missing in Confusion. In LogLoss and AUC all levels count as equally
	// probable for them.
	Undefined int `json:"undefined,omitempty"`
	// Accuracy is the share of records whose predicted level is their true level.
	Accuracy Measure `json:"accuracy"`
	// MajorityAccuracy is the accuracy of a model that always predicts the most frequent level of
	// these records.
	MajorityAccuracy Measure `json:"majority-accuracy"`
	// LogLoss is the mean of -ln p over the records, in nats. Here p is the predicted probability
	// of the true level, raised to 1e-15 if it is smaller.
	LogLoss Measure `json:"log-loss"`
	// AUC is the area under the receiver operating characteristic. It is the probability that a
	// random record of Levels[1] scores above a random record of Levels[0], where a tie counts 1/2.
	// It is NaN (null in JSON) if a level has no records or if there are more than two levels.
	AUC Measure `json:"auc"`
	// AveragePrecision is the mean, over the records of Levels[1], of the precision at the
	// threshold of the record's score. The precision is the share of Levels[1] among the records
	// that score at least as high. It is NaN (null in JSON) if AUC is NaN.
	AveragePrecision Measure `json:"average-precision"`
	// CalibrationError is the expected calibration error. Each bin of Reliability has a difference
	// between its mean probability and its frequency. CalibrationError is the mean of the magnitude
	// of this difference over the records. It is NaN (null in JSON) if there are more than two
	// levels.
	CalibrationError Measure `json:"calibration-error"`
	// Reliability counts the records by their probability of Levels[1], in 15 bins of equal width.
	// Empty bins are left out. It is nil if there are more than two levels.
	Reliability []Bin `json:"reliability,omitempty"`
	// Levels are the names of the classes.
	Levels []string `json:"levels"`
	// Confusion is the confusion matrix: Confusion[i][j] is the number of records with true level i
	// and predicted level j.
	Confusion [][]int `json:"confusion"`
	// Precision has one share for each level. It is computed from the records for which the level
	// is predicted: the share whose true level is this level. The share is NaN if the level is
	// never predicted.
	Precision []Measure `json:"precision"`
	// Recall has one share for each level. It is computed from the records whose true level is this
	// level: the share for which the level is predicted. The share is NaN if the level has no
	// records.
	Recall []Measure `json:"recall"`
	// GroupColumn is the name of the column by which Groups is split, or "".
	GroupColumn string `json:"group-column,omitempty"`
	// Groups contains the measures for each level of the group column. It is nil if no group column
	// was given.
	Groups []Group `json:"groups,omitempty"`
}

// Group contains measures for the records of one level of the group column. The measures are NaN if
// the level has no records.
type Group struct {
	// Level is the level of the group column.
	Level string `json:"level"`
	// Records is the number of records of this level.
	Records int `json:"records"`
	// Accuracy is Classification.Accuracy for these records.
	Accuracy Measure `json:"accuracy"`
	// MajorityAccuracy is Classification.MajorityAccuracy for these records.
	MajorityAccuracy Measure `json:"majority-accuracy"`
	// LogLoss is Classification.LogLoss for these records.
	LogLoss Measure `json:"log-loss"`
	// AUC is Classification.AUC for these records.
	AUC Measure `json:"auc"`
}

// Classify returns measures that compare predicted probabilities with true labels. The labels are
// indices of levels.
//
// For two levels and n records, the argument probabilities has n probabilities of levels[1], or has
// shape [n, 2]. The prediction is levels[1] if its probability is above the threshold, which is
// between 0 and 1. For K > 2 levels, the argument probabilities has shape [n, K], row by row. The
// prediction is then the most probable level, or the first of several such levels, and the
// threshold has no effect. The argument groups may be nil.
//
// It is an error if there are no records, or if a label is not an index of levels. It is an error
// if a probability is below -1e-9 or above 1+1e-9. It is an error if the sum of a record's
// probabilities differs from 1 by more than 1e-3. Errors state the number of the record, from 0,
// and never its values.
func Classify(levels []string, labels []int, probabilities []float64, threshold float64, groups *Grouping) (Classification, error) {
	scores, err := newScores(len(levels), labels, probabilities, threshold)
	if err != nil {
		return Classification{}, err
	}
	c := scores.classification(levels)
	if groups == nil {
		return c, nil
	}
	if err := groups.check(len(labels)); err != nil {
		return Classification{}, err
	}
	c.GroupColumn = groups.Column
	for _, g := range groups.split() {
		c.Groups = append(c.Groups, scores.group(g))
	}
	return c, nil
}

// classification returns the measures of all records, without groups.
func (s *scores) classification(levels []string) Classification {
	all := make([]int, len(s.labels))
	for i := range all {
		all[i] = i
	}
	whole := s.group(group{records: all})
	c := Classification{
		Records:          whole.Records,
		Accuracy:         whole.Accuracy,
		MajorityAccuracy: whole.MajorityAccuracy,
		LogLoss:          whole.LogLoss,
		AUC:              whole.AUC,
		Levels:           slices.Clone(levels),
	}
	c.AveragePrecision, c.CalibrationError = noMeasure(), noMeasure()
	if s.levels == 2 {
		order := s.byScore()
		c.AveragePrecision = s.averagePrecision(order)
		c.Reliability, c.CalibrationError = s.reliability(order)
	}
	c.Confusion, c.Undefined = s.confusion()
	c.Precision, c.Recall = s.byLevel(c.Confusion)
	return c
}

// confusion counts the defined guesses. It also returns the number of undefined ones.
func (s *scores) confusion() (counts [][]int, undefined int) {
	counts = make([][]int, s.levels)
	for k := range counts {
		counts[k] = make([]int, s.levels)
	}
	for i, guess := range s.guesses {
		if guess == undefinedGuess {
			undefined++
			continue
		}
		counts[s.labels[i]][guess]++
	}
	return counts, undefined
}

// byLevel returns the precision and the recall of each level. An undefined
// guess stands in no cell but lowers the recall of its true level.
func (s *scores) byLevel(confusion [][]int) (precision, recall []Measure) {
	records, guesses := make([]int, s.levels), make([]int, s.levels)
	for i, label := range s.labels {
		records[label]++
		if s.guesses[i] != undefinedGuess {
			guesses[s.guesses[i]]++
		}
	}
	for k := range s.levels {
		precision = append(precision, share(confusion[k][k], guesses[k]))
		recall = append(recall, share(confusion[k][k], records[k]))
	}
	return precision, recall
}

// group returns the measures of the records of one group.
func (s *scores) group(g group) Group {
	out := Group{Level: g.level, Records: len(g.records), AUC: noMeasure(), LogLoss: noMeasure()}
	counts := make([]int, s.levels)
	correct, loss := 0, 0.0
	for _, i := range g.records {
		counts[s.labels[i]]++
		if s.guesses[i] == s.labels[i] {
			correct++
		}
		loss -= math.Log(min(max(s.truth(i), logLossClip), 1))
	}
	out.Accuracy = share(correct, len(g.records))
	out.MajorityAccuracy = share(slices.Max(counts), len(g.records))
	if len(g.records) > 0 {
		out.LogLoss = Measure(loss / float64(len(g.records)))
	}
	if s.levels == 2 {
		out.AUC = s.auc(g.records)
	}
	return out
}

// share returns part/whole, undefined when the whole is 0.
func share(part, whole int) Measure {
	if whole == 0 {
		return noMeasure()
	}
	return Measure(float64(part) / float64(whole))
}
