package dither

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/query"
)

// String returns the target of the model and the guarantee of the run, in one line.
func (r *Run) String() string {
	if r == nil || r.Model == nil || r.Model.Schema() == nil {
		return "no run"
	}
	return fmt.Sprintf("model of %q: %s", r.Model.Schema().Target.Column, wording.Guarantee(r.Certificate))
}

// String returns the answer as a table: the question, each number with its interval, and the cost.
// It is the text that `dither query` prints.
func (a *Answer) String() string {
	if a == nil {
		return "no answer"
	}
	text, err := wording.Answer(query.NewFile(a.Plan, a.Certificate, a.Rows))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// String returns the measures as tables with intervals, and the guarantee in the last line.
func (e *Evaluation) String() string {
	if e == nil {
		return "no evaluation"
	}
	var b strings.Builder
	if err := measures.WritePrivate(&b, e.Measures); err != nil {
		return err.Error()
	}
	return b.String() + "\n" + wording.Guarantee(e.Certificate) + "\n"
}
