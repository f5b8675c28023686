package training

import (
	"fmt"
	"io"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// Summary is the output of train about a finished run. All of it is public.
type Summary struct {
	Folder       string              `json:"folder"`
	Private      bool                `json:"private"`
	Epsilon      certificate.Epsilon `json:"epsilon"`
	Delta        float64             `json:"delta"`
	Neighboring  privacy.Neighboring `json:"neighboring"`
	Unit         string              `json:"unit"`
	GroupRows    int                 `json:"group-rows,omitempty"`
	GroupEpsilon certificate.Epsilon `json:"group-epsilon,omitempty"`
	Accountant   string              `json:"accountant"`
	ModelSHA256  string              `json:"model-sha256"`
	// Learned are the bounds and levels that were learned instead of declared.
	Learned  []certificate.Learned    `json:"learned,omitempty"`
	Warnings []string                 `json:"warnings,omitempty"`
	TestSet  string                   `json:"test-set,omitempty"`
	Class    *evaluate.Classification `json:"classification,omitempty"`
	Value    *evaluate.Regression     `json:"regression,omitempty"`
	// Inference is the inference about the coefficients of linear regression.
	Inference *train.Inference `json:"inference,omitempty"`
	// Holdout holds the private measures on the held-out part.
	Holdout *evaluate.Private `json:"holdout,omitempty"`
	run     *Run
}

// WriteText writes the model's description and its guarantee.
func (s Summary) WriteText(w io.Writer) error {
	f := s.run
	fmt.Fprintf(w, "model      %s\n", s.Folder)
	fmt.Fprintf(w, "guarantee  %s\n", wording.Guarantee(f.Draft))
	writeWidth(w, f.Draft)
	f.writeBaseline(w)
	for _, l := range s.Learned {
		fmt.Fprintf(w, "learned    %s\n", display.Printable(wording.Learned(l)))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(w, "warning    %s\n", warning)
	}
	if err := writeEstimates(w, s.Inference); err != nil {
		return err
	}
	if s.TestSet != "" {
		fmt.Fprintf(w, "\nmeasured on %s:\n", display.OneLine(s.TestSet))
		if err := measures.WriteText(w, s.Class, s.Value); err != nil {
			return err
		}
	}
	if s.Holdout != nil {
		fmt.Fprintf(w, "\nmeasured privately on %s:\n", holdoutWords(f.Setup.Plan))
		if err := measures.WritePrivate(w, *s.Holdout); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nread the report: %s/%s\ncheck the guarantee: dither verify %s\nhave it in words: dither explain %s\n", s.Folder, report.FileName, s.Folder, s.Folder)
	return err
}

// writeWidth writes the proven interval of the cost if dither account prints one too. It prices the
// event again, for its lower bound.
func writeWidth(w io.Writer, c certificate.Certificate) {
	if !c.Private || strings.Contains(c.Event, curve.SlowEvent) {
		return
	}
	a, err := account.Named(c.Accountant)
	if err != nil {
		return
	}
	e, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return
	}
	v, err := a.Epsilon(e, c.Delta, c.Neighboring)
	if err != nil {
		return
	}
	if width := wording.Width(v.Lower, max(v.Upper, float64(c.Epsilon))); width != "" {
		fmt.Fprintf(w, "width      %s\n", width)
	}
}
