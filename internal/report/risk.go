package report

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/figure"
)

// riskPoints is the number of points of a curve of the risk.
const riskPoints = 60

// riskFigure returns a figure of the most that a guarantee leaves to an attacker: whom they
// recognize for a number of false accusations, and how often they are right about a coin as epsilon
// grows. The second is by epsilon and delta alone.
func riskFigure(g Guarantee) figure.Figure {
	guessing := figure.Series{Name: "guessing", Dashed: true, Points: []figure.Point{figure.Value(0, 0), figure.Value(100, 100)}}
	recognized := figure.Panel{
		Title: "Recognized, over accused falsely", X: figure.Axis{Label: "accused falsely, percent"}, Y: figure.Axis{Label: "recognized, percent"},
		Series: []figure.Series{{Name: "one record", Points: g.recognizedPoints()}},
	}
	answers := figure.Panel{
		Title: "Right about a coin, over ε at δ", X: figure.Axis{Label: "ε (nats)"}, Y: figure.Axis{Label: "right answers, percent"},
		Series: []figure.Series{{Name: "one record", Points: answerPoints(g)}},
		Marks:  []figure.Mark{{X: g.Epsilon, Y: 100 * g.accuracy(), Text: "this " + g.released() + ", ε = " + digitsUp(g.Epsilon, 3)}},
	}
	if g.GroupRows > 1 {
		name := fmt.Sprintf("%d rows", g.GroupRows)
		recognized.Series = append(recognized.Series, figure.Series{Name: name, Points: recognizedPoints(g.GroupEpsilon, g.Delta)})
		answers.Marks = append(answers.Marks, figure.Mark{X: g.GroupEpsilon, Y: 100 * bestAccuracy(g.GroupEpsilon, g.Delta), Text: name})
	}
	recognized.Series = append(recognized.Series, guessing)
	return figure.Figure{Name: "risk", Title: "What an attacker can reach at most", Panels: []figure.Panel{recognized, answers}}
}

// recognizedPoints are the points of one record: by the whole curve where there is one, at shares
// that stand close where few are accused falsely.
func (g Guarantee) recognizedPoints() []figure.Point {
	if g.Attacker == nil {
		return recognizedPoints(g.Epsilon, g.Delta)
	}
	const fine = 3 * riskPoints
	var out []figure.Point
	for i := range fine + 1 {
		part := float64(i) / fine
		out = append(out, figure.Value(100*part*part, 100*g.truePositives(part*part)))
	}
	return out
}

// recognizedPoints are the best true-positive rate over the false-positive rate, in percent: points
// of the lines between the corners of the curve.
func recognizedPoints(epsilon, delta float64) []figure.Point {
	var out []figure.Point
	corners := tradeOff(epsilon, delta)
	for i, to := range corners[1:] {
		from := corners[i]
		for k := range riskPoints / len(corners) {
			part := float64(k) / (riskPoints / float64(len(corners)))
			out = append(out, figure.Value(100*(from.falsePositives+part*(to.falsePositives-from.falsePositives)), 100*(from.truePositives+part*(to.truePositives-from.truePositives))))
		}
	}
	return append(out, figure.Value(100, 100))
}

// answerPoints are the right answers about a coin, in percent, over epsilon.
func answerPoints(g Guarantee) []figure.Point {
	end := 6.0
	for _, epsilon := range []float64{g.Epsilon, g.GroupEpsilon} {
		if !math.IsInf(epsilon, 1) {
			end = max(end, 1.25*epsilon)
		}
	}
	var out []figure.Point
	for i := range riskPoints + 1 {
		epsilon := end * float64(i) / riskPoints
		out = append(out, figure.Value(epsilon, 100*bestAccuracy(epsilon, g.Delta)))
	}
	return out
}

// riskNote puts the figure into words.
func riskNote(g Guarantee) string {
	note := fmt.Sprintf("No attacker, known or unknown, gets above the solid lines: at most %s are recognized where 1 %% are accused falsely, and at most %s of the answers about a fair coin are right. The dashed line is guessing.",
		percentUp(g.truePositives(claimedFalsePositives)), percentUp(g.accuracy()))
	if g.Attacker != nil {
		note += " On the right the line is what ε and δ alone allow; the mark of this " + g.released() + " counts all that is proven about its noise, and lies lower."
	}
	return note
}
