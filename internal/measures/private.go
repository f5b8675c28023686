package measures

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// Draft returns the plan of a request for a model, and a draft of its certificate, whose epsilon is
// at most the request's. A request without a threshold has the model's threshold. table is the
// table of a database that the records come from, or nil.
func Draft(r evaluate.Request, m *model.Model, table database.Table) (p evaluate.Plan, c certificate.Certificate, err error) {
	if len(m.Schema().Target.Levels) == 2 && r.Threshold == 0 {
		r.Threshold = m.Threshold()
	}
	c, err = draft.Within(r.Epsilon, func(epsilon float64) (certificate.Certificate, error) {
		asked := r
		asked.Epsilon = epsilon
		var failed error
		if p, failed = evaluate.NewPlan(asked, m.Schema()); failed != nil {
			return certificate.Certificate{}, failed
		}
		return p.Certificate()
	})
	draft.ComeFrom(&c, table)
	return p, c, err
}

// Person returns the column that names persons, if they are the unit of a plan, or "".
func Person(p evaluate.Plan) string {
	if p.Person == nil {
		return ""
	}
	return p.Person.Column
}

// ReadOptions returns the parts of a table that a plan needs.
func ReadOptions(p evaluate.Plan, s *data.Schema) data.ReadOptions {
	o := data.ReadOptions{MaxRecords: p.MaxRecords}
	if p.Person != nil && !NamesPersons(s, p.Person.Column) {
		o.Extra = []string{p.Person.Column}
	}
	return o
}

// IsFeature reports whether a column is a categorical feature, whose texts are read anyway.
func IsFeature(s *data.Schema, name string) bool {
	for _, c := range s.Features() {
		if c.Name == name && c.Kind == data.Categorical {
			return true
		}
	}
	return false
}

// NamesPersons reports whether a column is a categorical feature with levels of one text each. Then its
// levels name persons, and its texts need not be read for that.
func NamesPersons(s *data.Schema, name string) bool {
	return IsFeature(s, name) && !slices.ContainsFunc(s.Features(), func(c data.Column) bool { return c.Name == name && c.Grouped != nil })
}

// Release pays for a plan with the ledger of the run, and returns its release. A trace of the cost
// is in the folder before the first draw.
func Release(ctx context.Context, out *artefact.Folder, p evaluate.Plan, draft certificate.Certificate, budget *ledger.Ledger, records evaluate.Records) (artefact.Evaluation, error) {
	grant, err := budget.Reserve(p.Event(), option.MethodEvaluation)
	if err != nil {
		return artefact.Evaluation{}, failure.Running(err)
	}
	process.OutliveReaders()
	if err = out.Spend(draft); err != nil {
		return artefact.Evaluation{}, err
	}
	numbers, err := evaluate.Release(together.Payer(ctx, grant), p, records)
	if err != nil {
		return artefact.Evaluation{}, out.Failure(err)
	}
	file, err := artefact.NewEvaluation(p, numbers)
	if err != nil {
		return artefact.Evaluation{}, out.Failure(err)
	}
	return file, nil
}

// Noisy is what a private evaluation prints as JSON. All of it may be published.
type Noisy struct {
	Folder      string              `json:"folder,omitempty"`
	Epsilon     certificate.Epsilon `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	Unit        string              `json:"unit"`
	Accountant  string              `json:"accountant"`
	evaluate.Private
	guarantee string
}

// NoisyOf returns a private evaluation with its cost by the draft of its certificate. folder is its
// folder, "" for none.
func NoisyOf(v evaluate.Private, c certificate.Certificate, folder string) Noisy {
	return Noisy{folder, c.Epsilon, c.Delta, c.Neighboring, c.Unit, c.Accountant, v, wording.Guarantee(c)}
}

// WriteText writes the evaluation for a terminal.
func (n Noisy) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, "guarantee  "+display.Printable(n.guarantee)+"\n           Everything below is computed from one noisy release, so no more of it costs anything.\n\n")
	if err == nil {
		err = WritePrivate(w, n.Private)
	}
	if err == nil && n.Folder != "" {
		_, err = fmt.Fprintf(w, "\nread the report: %s/%s\ncheck the guarantee: dither verify %s\nhave it in words: dither explain %s\n", n.Folder, artefact.ReportName, n.Folder, n.Folder)
	}
	return err
}
