package model

import "github.com/ditherml/dither/internal/kernel"

// blockLoss is a loss that computes the residuals of many records together, faster than one by one.
// A record's result has the same bits whatever other records are in the block: the functions of
// package kernel ensure that. It may overwrite scores. The residuals of a NaN label are 0.
type blockLoss interface {
	residuals(dst []float64, scores, labels []float32)
}

var (
	_ blockLoss = logistic{}
	_ blockLoss = softmax{}
	_ blockLoss = oneVsRest{}
)

// residuals writes σ(z) - label.
func (logistic) residuals(dst []float64, scores, labels []float32) {
	kernel.Sigmoid(scores, scores)
	kernel.LessLabels(dst, scores, labels)
}

// residuals writes the probabilities, minus 1 for the class of the label.
func (softmax) residuals(dst []float64, scores, labels []float32) {
	if len(labels) == 0 {
		return
	}
	columns := len(scores) / len(labels)
	kernel.Softmax(scores, scores, columns)
	lessLabels(dst, scores, labels, columns)
}

// residuals writes σ(z_k), minus 1 for the class of the label.
func (oneVsRest) residuals(dst []float64, scores, labels []float32) {
	if len(labels) == 0 {
		return
	}
	kernel.Sigmoid(scores, scores)
	lessLabels(dst, scores, labels, len(scores)/len(labels))
}

// lessLabels writes the numbers to dst, minus 1 for the class of each label. It writes zeros for a
// NaN label.
func lessLabels(dst []float64, numbers, labels []float32, columns int) {
	for i, p := range numbers {
		dst[i] = float64(p)
	}
	for i, label := range labels {
		if label == label { // label is not NaN
			dst[i*columns+int(label)]--
		} else {
			clear(dst[i*columns : (i+1)*columns])
		}
	}
}
