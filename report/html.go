package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the template and the style sheet
	"encoding/base64"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageTemplate string

//go:embed style.css
var styleSheet string

// policy is the content security policy of the page: it may run nothing and
// fetch nothing, and only its own style sheet, named by its hash, applies. The
// style sheet must hold no comment, since html/template would take it out and
// the hash would not fit.
func policy() string {
	hash := sha256.Sum256([]byte(styleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"
}

// parsedPage holds the template with the policy and the style sheet in place:
// both are constants of the program, put in before parsing, so that data only
// ever passes through the escaper.
var parsedPage = template.Must(template.New("page").Parse(
	strings.NewReplacer("@policy@", policy(), "@style@", styleSheet).Replace(pageTemplate)))

// WriteHTML writes the page as one HTML file that needs nothing else: no
// script, no font, no image and no network. Nothing is written when the page
// is refused, as when its guarantee is not fully stated.
func (p Page) WriteHTML(w io.Writer) error {
	if err := p.validate(); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := parsedPage.Execute(&page, newView(p.cleaned())); err != nil {
		return err
	}
	_, err := page.WriteTo(w)
	return err
}

// view is a page as the template shows it.
type view struct {
	Page
	Loud       string
	Private    bool
	Facts      []Fact
	Meaning    []string
	Limits     []string
	Attacks    []attack
	Group      string
	Exactly    string
	Trade      tradePlot
	Rows       []eventRow
	Segments   []segment
	Plots      []scorePlot
	ScoresLeft int
	Confusion  *confusionView
	TooLarge   bool
	BudgetNote string
	WeightNote []string
	// EstimatesNote explains the intervals of coefficients.
	EstimatesNote string
}

// newView prepares a page whose strings are clean.
func newView(p Page) view {
	g := p.Guarantee
	v := view{
		Page:       p,
		Loud:       p.banner(),
		Private:    g.private(),
		Facts:      g.facts(),
		Meaning:    g.meaning(),
		Limits:     g.limits(),
		Exactly:    exactly,
		BudgetNote: budgetNote,
		WeightNote: []string{barNote, noiseNote}, EstimatesNote: estimatesNote,
	}
	if v.Private {
		v.Attacks, v.Trade = g.attacks(), newTradePlot(g)
		v.Group = v.Trade.GroupName
	} else {
		v.BudgetNote, v.WeightNote = "Nothing was paid: a release without noise has no price.", []string{barNote}
	}
	v.Rows, v.Segments = budget(p.Events)
	v.Plots, v.ScoresLeft = scorePlots(p.Coefficients, p.Unlisted)
	if p.Metrics != nil {
		v.Confusion = newConfusionView(p.Metrics.Confusion)
		v.TooLarge = p.Metrics.Confusion != nil && v.Confusion == nil
	}
	return v
}
