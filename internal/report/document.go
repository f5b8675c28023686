package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
)

// Document is a page about experiments. Only Title is required; what is empty is left out.
type Document struct {
	// Title heads the page.
	Title string
	// Generated is the time of writing, in the caller's spelling.
	Generated string
	// Lead are the first paragraphs: what was done, and what it is worth.
	Lead []string
	// Warnings list what the reader should know before using the numbers.
	Warnings []string
	// Sections follow in order.
	Sections []Section
}

// Section is a part of a document. Its contents come in the order of the fields.
type Section struct {
	Title string
	// Warning is whether the section is set apart as a warning.
	Warning bool
	// Text are paragraphs.
	Text []string
	// Facts are named values.
	Facts []Fact
	// Comparisons are published figures next to ours.
	Comparisons []experiment.Comparison
	// List are sentences, one a line.
	List []string
	// Tables have a heading of columns each.
	Tables []Table
	// Register lists what happened, nil for nothing.
	Register *Register
	// Figures are drawn as SVG in the page itself.
	Figures []figure.Figure
	// Command is a command line, shown apart.
	Command string
	// Note is a remark in small print.
	Note string
}

// WriteHTML writes the document as one HTML file that needs nothing else: no font, no image and no
// network. Its figures scale with the page and are readable in light, dark and print. Where scripts
// are on, a constant script shows values and hides curves. Where they are off, only that is
// missing. Every text is treated as hostile. Nothing is written when the document is refused.
func (d Document) WriteHTML(w io.Writer) error {
	if d.Title == "" {
		return fmt.Errorf("report: the title is empty, want a heading; name the experiment")
	}
	view := documentView{Document: cleanCopy(d)}
	number, before := 0, ""
	for i, s := range view.Document.Sections {
		for _, f := range s.Figures {
			if err := checkPanels(f); err != nil {
				return err
			}
		}
		charts := newCharts(s.Figures, &number)
		for k := range charts { // a command is named once
			if said := charts[k].Command; said == s.Command || said == before {
				charts[k].Command = ""
			} else {
				before = said
			}
		}
		view.Sections = append(view.Sections, sectionView{s, "part" + strconv.Itoa(i+1), charts})
	}
	return parsedDocument.write(w, number > 0, view)
}

// documentView is a document as its template shows it.
type documentView struct {
	Document
	Sections []sectionView
}

// sectionView is a section with its figures laid out. ID names it within the page.
type sectionView struct {
	Section
	ID     string
	Charts []chartFigure
}

// A page of this many sections begins with a list of them. A longer list would hide the first one.
const fewestListed, mostListed = 4, 24

// Listed is whether the page begins with a list of its sections.
func (v documentView) Listed() bool {
	return len(v.Sections) >= fewestListed && len(v.Sections) <= mostListed
}

// newCharts lays figures out and counts them. Each has a panel.
func newCharts(figures []figure.Figure, number *int) []chartFigure {
	var out []chartFigure
	for _, f := range figures {
		*number++
		out = append(out, newChartFigure(f, *number))
	}
	return out
}
