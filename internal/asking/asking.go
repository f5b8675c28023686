// Package asking prices questions about tables within a budget, and answers them into folders.
package asking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Budget is the limit on the cost of one answer.
type Budget struct {
	// Epsilon is the limit, in nats. It applies if Noise is nil or Limited is true.
	Epsilon float64
	Limited bool
	// Noise is the noise multiplier. Nil means the smallest multiplier that Epsilon allows.
	Noise *float64
}

// Priced is a question with a price. Its cost can be reserved in a ledger.
type Priced struct {
	Question *query.Question
	draft    certificate.Certificate
	grant    *ledger.Grant
}

// Price returns the question with its noise and its price. If the given noise costs too much, the
// error wraps ledger.ErrOverBudget.
func (b Budget) Price(q *query.Question) (Priced, error) {
	q, err := b.settle(q)
	if err != nil {
		return Priced{}, err
	}
	p := Priced{Question: q}
	if p.draft, err = q.Plan().Certificate(); err != nil {
		return p, err
	}
	if math.IsInf(float64(p.draft.Epsilon), 1) && !math.IsInf(b.Epsilon, 1) {
		return p, fmt.Errorf("Budget.Epsilon is %v, want one that a certificate can state; what the samplers round counts e^epsilon times, take a smaller one", b.Epsilon)
	}
	price := max(float64(p.draft.Epsilon), p.draft.Charge())
	if b.Noise == nil || b.Limited {
		if price > b.Epsilon {
			return p, fmt.Errorf("%w: the answer costs epsilon %s, want at most %v; take more noise or raise Budget.Epsilon", ledger.ErrOverBudget, certificate.Epsilon(price).Rounded(), b.Epsilon)
		}
		p.draft.Asked = certificate.Epsilon(b.Epsilon)
	}
	return p, nil
}

// Draft returns the draft of the certificate, with all fields that follow from the question.
func (p *Priced) Draft() *certificate.Certificate { return &p.draft }

// Reserve reserves the price in the ledger of the run, before a record is read.
func (p *Priced) Reserve(ctx context.Context, l *ledger.Ledger) (err error) {
	q := p.Question.Plan()
	if together.From(ctx) != nil && !slices.Contains(sums, string(q.Statistic)) {
		return fmt.Errorf("%s is asked by several ranks, want one process, or one of %s, which are sums", q.Statistic, strings.Join(sums, ", "))
	}
	p.grant, err = l.Reserve(q.Event(), "a "+string(q.Statistic))
	return err
}

// sums are the statistics that several ranks can add up.
var sums = []string{"count", "sum", "mean", "variance", "histogram", "covariance", "correlation"}

// Agreed returns a text of everything that decides what is released.
func (p *Priced) Agreed() string {
	text, err := json.Marshal(p.Question.Plan())
	return fmt.Sprintf("%s %v %s", text, err, p.draft.Event)
}

// Person returns the column that names persons, if they are the unit, or "".
func (p *Priced) Person() string {
	if u := p.Question.Plan().Person; u != nil {
		return u.Column
	}
	return ""
}

// settle returns the question with the given noise, or with the least noise that the budget allows.
func (b Budget) settle(q *query.Question) (*query.Question, error) {
	if b.Noise != nil {
		return q.WithNoise(*b.Noise)
	}
	p := q.Plan()
	target, err := privacy.NewGuarantee(b.Epsilon, p.Delta, p.Neighboring, privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson})
	if err != nil {
		return nil, err
	}
	if math.IsInf(b.Epsilon, 1) {
		return nil, fmt.Errorf("Budget.Epsilon is infinite, want a finite number; an answer without noise is not private")
	}
	within, err := q.Within(target)
	if errors.Is(err, account.ErrUnreachable) {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "query: "))
	}
	return within, err
}

// Answer pays for the question and returns its answer on a data set. A trace of the cost is in the
// folder before noise is drawn.
func (p Priced) Answer(ctx context.Context, out *artefact.Folder, d *data.Dataset) (query.File, error) {
	process.OutliveReaders()
	if err := out.Spend(p.draft); err != nil {
		return query.File{}, err
	}
	rows, err := p.Question.Ask(together.Payer(ctx, p.grant), d)
	if err != nil {
		return query.File{}, out.Failure(err)
	}
	return query.NewFile(p.Question.Plan(), p.draft, rows), nil
}

// Write returns the files of an answer. If the folder has a name, it also writes them there.
func Write(out *artefact.Folder, answer query.File) (map[string][]byte, error) {
	files, err := seal(&answer, artefact.Program)
	if err != nil {
		return nil, out.Failure(err)
	}
	if out.Path() == "" {
		return files, nil
	}
	return files, out.Write(files)
}
