package outcome

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/sweep"
)

// Names of the files of a folder of results.
const (
	JournalName  = "results.jsonl"
	ResultsName  = "results.csv"
	SummaryName  = "summary.csv"
	DocumentName = "summary.json"
	PageName     = "index.html"
)

// File is one file of a folder of results.
type File struct {
	Name string
	Text []byte
}

// Files returns the files of a folder of results, with the page last. The function image writes a
// figure as an image. An example is report.WritePNG.
func (s *Study) Files(results []sweep.Measurement, summaries []sweep.Summary, image func(io.Writer, figure.Figure) error) ([]File, error) {
	figures := Figures(s.Varied, summaries, s.Command, s.Marked)
	var out []File
	add := func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		out = append(out, File{name, b.Bytes()})
		return err
	}
	err := errors.Join(
		add(ResultsName, func(w io.Writer) error { return writeResults(w, s.Varied, s.Candidates, results) }),
		add(SummaryName, func(w io.Writer) error { return writeSummary(w, s.Varied, summaries) }),
		add(DocumentName, func(w io.Writer) error {
			text, err := display.JSON(s.Document(summaries, true))
			if err != nil {
				return err
			}
			_, err = w.Write(text)
			return err
		}),
	)
	for _, f := range figures {
		err = errors.Join(err, add(f.Name+".svg", func(w io.Writer) error { return report.WriteSVG(w, f) }), add(f.Name+".png", func(w io.Writer) error { return image(w, f) }))
	}
	return out, errors.Join(err, add(PageName, func(w io.Writer) error { return s.WritePage(w, summaries, figures) }))
}

// Mark returns the configuration that figures, page and terminal highlight. It is chosen by the
// rule of one standard error of the main metric. If nothing varies, no configuration is
// highlighted.
func (s *Study) Mark(summaries []sweep.Summary) Marked {
	if len(s.Varied) == 0 {
		return Marked{}
	}
	metric := sweep.Metrics(s.Target)[0]
	out := near(slices.DeleteFunc(slices.Clone(summaries), func(s sweep.Summary) bool { return s.Metric != metric }))
	out.Why += " " + MetricName(metric)
	return out
}
