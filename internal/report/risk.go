package report

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
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
		Series: []figure.Series{{Name: "one " + g.Noun(), Points: recognizedPoints(g.curve())}},
	}
	answers := figure.Panel{
		Title: "Right about a coin, over ε at δ", X: figure.Axis{Label: "ε (nats)"}, Y: figure.Axis{Label: "right answers, percent"},
		Series: []figure.Series{{Name: "one " + g.Noun(), Points: answerPoints(g)}},
		Marks:  []figure.Mark{{X: g.Epsilon, Y: 100 * right(g.risk()), Text: "this " + g.released() + ", ε = " + digitsUp(g.Epsilon, 3)}},
	}
	if g.GroupRows > 1 {
		name := fmt.Sprintf("%d rows", g.GroupRows)
		recognized.Series = append(recognized.Series, figure.Series{Name: name, Points: recognizedPoints(account.TradeOff{}.With(g.GroupEpsilon, g.Delta))})
		answers.Marks = append(answers.Marks, figure.Mark{X: g.GroupEpsilon, Y: 100 * right(g.groupRisk()), Text: name})
	}
	recognized.Series = append(recognized.Series, guessing)
	return figure.Figure{Name: "risk", Title: "What an attacker can reach at most", Panels: []figure.Panel{recognized, answers}}
}

// recognizedPoints are the best true-positive rate over the false-positive rate, in percent. They
// stand close where few are accused falsely.
func recognizedPoints(curve account.TradeOff) []figure.Point {
	const fine = 3 * riskPoints
	var out []figure.Point
	for i := range fine + 1 {
		part := float64(i) / fine
		out = append(out, figure.Value(100*part*part, 100*curve.TruePositives(part*part)))
	}
	return out
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
		out = append(out, figure.Value(epsilon, 100*rightAt(epsilon, g.Delta)))
	}
	return out
}

// riskNote puts the figure into words.
func riskNote(g Guarantee) string {
	note := fmt.Sprintf("No attacker, known or unknown, gets above the solid lines: at most %s are recognized where 1 %% are accused falsely, and at most %s of the answers about a fair coin are right. The dashed line is guessing.",
		percentUp(g.risk().TruePositiveAt1), percentUp(right(g.risk())))
	if g.Attacker != nil {
		note += " On the right the line is what ε and δ alone allow; the mark of this " + g.released() + " counts all that is proven about its noise, and lies lower."
	}
	return note
}
