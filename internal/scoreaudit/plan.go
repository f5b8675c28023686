package scoreaudit

import (
	"context"
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/planaudit"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/privacy"
)

// ofPlan returns the report of an audit of the plan that a subject names.
func (q *Request) ofPlan(ctx context.Context, messages io.Writer, subject string, formats []columnar.Format) (auditing.Report, error) {
	n, err := privacy.ParseNeighboring(q.Neighboring)
	if err != nil {
		return auditing.Report{}, err
	}
	s, err := planaudit.Read(subject, planaudit.Terms{Neighboring: n, Delta: q.Delta})
	if err != nil {
		return auditing.Report{}, err
	}
	if !s.OfEvent && (q.changed("delta") || q.changed("neighboring")) {
		return auditing.Report{}, fmt.Errorf("--delta or --neighboring is given with %s, want neither: the claim is the one of its certificate", s.Name)
	}
	plan, err := planaudit.New(s)
	if err != nil {
		return auditing.Report{}, err
	}
	o := planaudit.Options{Confidence: q.Confidence, Effort: q.Effort, Runs: q.Runs, Canaries: q.Canaries, PublicName: q.Public}
	if o.Public, err = q.public(ctx, messages, plan, formats); err != nil {
		return auditing.Report{}, err
	}
	shares := progress.NewShares(messages)
	o.Progress = shares.Tell
	r, err := plan.Run(ctx, o)
	shares.End()
	return r, err
}

// public reads the table of --public, nil for none. It says loudly what that means.
func (q *Request) public(ctx context.Context, messages io.Writer, plan *planaudit.Plan, formats []columnar.Format) (*data.Dataset, error) {
	if q.Public == "" {
		return nil, nil
	}
	schema, err := plan.Schema()
	if err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(messages, "WARNING: every record of %s is taken for PUBLIC. Nothing protects it, no ledger counts it, and the report may show what it holds. If it is private, stop now.\n", display.Printable(q.Public))
	d, err := tabular.ReadTrain(ctx, schema, data.Source{Path: q.Public, Labels: q.Labels, Formats: formats}, data.ReadOptions{Extra: plan.Extra()})
	if err == nil && d.Records() == 0 {
		err = fmt.Errorf("%s has no row that the schema keeps, want public records", q.Public)
	}
	return d, err
}
