package explain

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/textbook"
	"github.com/ditherml/dither/internal/wording"
)

// Text returns the answer as text for a terminal. The argument plot is the name of the file with
// the plot of WritePlot. It is "" if there is no plot.
func (a Cost) Text(plot string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event     %s\nrelation  %v: %s\n", display.Printable(a.Event), a.Neighboring, wording.Relation(a.Neighboring))
	if a.Asked == "delta" {
		fmt.Fprintf(&b, "asked     the smallest delta at epsilon %v\n\n", display.Plain(float64(*a.Epsilon)))
	} else {
		fmt.Fprintf(&b, "asked     the smallest epsilon at delta %v\n\n", display.Plain(float64(*a.Delta)))
	}
	if err := display.WriteColumns(&b, a.priceRows()); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\nclaim     %s\n", a.Claim.text())
	if width := a.widthText(); width != "" {
		fmt.Fprintf(&b, "width     %s\n", width)
	}
	if a.Group != nil {
		fmt.Fprintf(&b, "group     %s\n", a.Group.text())
	}
	if a.Stated != nil {
		fmt.Fprint(&b, "stated    ", a.statedText(), "\n")
	}
	a.attackerText(&b)
	textbook.Write(&b, a.Textbook)
	if plot != "" {
		fmt.Fprintf(&b, "\nplot      %s\n", display.Printable(plot))
	}
	if a.Next != "" {
		fmt.Fprintf(&b, "\nnext      %s\n", a.Next)
	}
	return b.Bytes(), nil
}

// priceRows returns the table of accountants.
func (a Cost) priceRows() [][]string {
	rows := [][]string{{"accountant", a.Asked + " from", "estimate", "to", "note"}}
	for _, p := range a.Accountants {
		if p.Refused != "" {
			rows = append(rows, []string{p.Accountant, "-", "-", "-", "refused: " + brief(p.Refused)})
			continue
		}
		note := ""
		switch {
		case p.Accountant == a.Claim.Accountant:
			note = `<- "to" may be claimed`
		case *p.Lower == 0 && *p.Upper > 0:
			note = "upper bound only"
		}
		from, estimate, to := display.Interval(float64(*p.Lower), float64(*p.Estimate), float64(*p.Upper))
		rows = append(rows, []string{p.Accountant, from, estimate, to, note})
	}
	return rows
}

// widthText returns a sentence on the width of the interval of the claim, "" where the width does
// not matter.
func (a Cost) widthText() string {
	for _, p := range a.Accountants {
		if p.Accountant == a.Claim.Accountant && p.Refused == "" {
			return wording.Width(float64(*p.Lower), float64(*p.Upper))
		}
	}
	return ""
}

// brief returns a reason cut to the width of a table. The JSON has the whole reason.
func brief(reason string) string {
	const most = 60
	if runes := []rune(reason); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return reason
}

// text returns a guarantee in one line, rounded up.
func (c claim) text() string {
	if math.IsInf(float64(c.Epsilon), 1) || c.Delta >= 1 {
		return "none: there is no guarantee at this delta or epsilon"
	}
	return fmt.Sprintf("epsilon %s at delta %s, for %s", display.Rounded(float64(c.Epsilon), 5, true), display.Rounded(c.Delta, 5, true), wording.Relation(c.Neighboring))
}

// text returns the cost of several rows together.
func (g groupCost) text() string {
	if math.IsInf(float64(g.Epsilon), 1) {
		return fmt.Sprintf("no finite epsilon is proven for %d rows together, at the same delta", g.Rows)
	}
	return fmt.Sprintf("epsilon %s for %d rows together, at the same delta (accountant %s)", display.Rounded(float64(g.Epsilon), 5, true), g.Rows, g.Accountant)
}

// statedText returns a comparison of what a certificate states with what is proven now.
func (a Cost) statedText() string {
	stated := float64(*a.Stated)
	text := "the certificate says epsilon " + display.Rounded(stated, 5, true)
	for _, p := range a.Accountants {
		if p.Refused == "" && stated < float64(*p.Lower)*(1-1e-9) {
			return text + ", LESS than the proven lower bound: do not rely on it; see dither verify"
		}
	}
	return text
}
