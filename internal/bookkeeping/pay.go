package bookkeeping

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/witness"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
)

// Wish states which durable ledger pays for a run, and the purpose of the run. All of it is public.
type Wish struct {
	// Where is a file or a PostgreSQL URL, or "" for the ledger that the schema names.
	Where string
	// Population is the part of the data that the run is about, or "" for all data.
	Population string
	// Purpose is the purpose of the run, or "" for the name of the method. Person is the person who
	// requests the run, or "" for the user's name.
	Purpose, Person string
	// Noted reports that the purpose is stated elsewhere too, so that it needs no ledger.
	Noted bool
	// Charge is the largest share of the budget that the filter may charge for the run. It is a
	// percentage of the ledger's budget, or ChargeLeft for all that is left. "" means no limit
	// besides the budget.
	Charge string
}

// Purse pays for one run from a durable ledger. A nil Purse belongs to a run that no ledger counts.
type Purse struct {
	ledger  *Ledger
	wish    Wish
	data    string
	payment *budget.Payment
	witness *witness.Witness // of the records that the run reads, nil for none
	blind   error            // why there is none
}

// Purse opens the ledger of a run about the records of a schema. It returns nil if neither the wish
// nor the schema names a ledger. It returns nil for a rank that is not the root of its run.
func (w Wish) Purse(ctx context.Context, s *data.Schema) (*Purse, error) {
	if !together.From(ctx).Root() {
		return nil, nil
	}
	own := w.Where == ""
	switch {
	case own:
		w.Where = s.Ledger
	case s.Ledger != "" && !postgres.Same(w.Where, s.Ledger):
		return nil, fmt.Errorf("--ledger is %s, and the schema names the ledger %s, want one of them; leave --ledger out, or mend the schema", display.OneLine(w.Where), display.OneLine(s.Ledger))
	}
	if w.Where == "" {
		if w.Population != "" || w.Purpose != "" && !w.Noted {
			return nil, errors.New("--population or --purpose is given without --ledger, want the ledger that they are for")
		}
		return nil, nil
	}
	l, err := Open(ctx, w.Where)
	if own && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w with the terms of the schema: add --schema SCHEMA --epsilon 3 --delta 1e-5, say", err)
	}
	if err != nil {
		return nil, err
	}
	p := &Purse{ledger: l, wish: w, data: s.Name}
	switch {
	case postgres.Is(w.Where):
		p.blind = errors.New("a ledger on a server keeps none")
	case together.From(ctx) != nil:
		p.blind = errors.New("several ranks read the records, and nothing was compared")
	default:
		p.witness, p.blind = witness.Open(w.Where+witness.End, l.Book.Ledger(), l.WitnessKey(), w.Population)
	}
	return p, nil
}

// Watch returns the context for reading the records of the run. With this context a witness digests
// the records while they are read.
func (p *Purse) Watch(ctx context.Context) context.Context {
	if p == nil || p.witness == nil {
		return ctx
	}
	return witness.With(ctx, p.witness.Watch())
}

// Tell writes a line for the operator that states whether earlier runs read the same records. The
// line affects no decision. It reveals something about private records.
func (p *Purse) Tell(w io.Writer) {
	if p == nil || p.payment == nil {
		return
	}
	said := ""
	if p.witness == nil {
		said = fmt.Sprintf("none: %v", p.blind)
	} else {
		said = p.witness.Tell(p.payment.Places()[0].Seq, p.ledger.Terms().Name)
	}
	fmt.Fprintln(w, "records    "+display.OneLine(said))
}

// Pay reserves the price of a draft in the durable ledger, before a record is read. It notes the
// ledger's record in the draft and returns the ledger of the run. This run may continue earlier
// runs. If the same ledger paid for them, their releases are not reserved again. If the budget is
// too small, the error wraps ledger.ErrOverBudget and states what would fit.
func (p *Purse) Pay(ctx context.Context, c *certificate.Certificate, earlier ...budget.EarlierRun) (*ledger.Ledger, error) {
	l, err := c.Ledger()
	if p == nil || err != nil {
		return l, err
	}
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil {
		return nil, err
	}
	purpose := p.wish.Purpose
	if purpose == "" {
		purpose = c.Method
	}
	about := budget.Ask{Data: p.data, Event: event, Draws: c.NoiseDraws, Delta: c.Delta, Population: p.wish.Population, Purpose: purpose, Person: person(p.wish.Person),
		Own: budget.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Accountant: c.Accountant}}
	if err = p.goOn(&about, earlier); err != nil {
		return nil, p.refused(err)
	}
	if p.payment, err = l.Under(ctx, p.ledger.Book, about); err != nil {
		return nil, p.refused(p.withFitting(ctx, err, c))
	}
	at := p.payment.Places()[0]
	terms := p.ledger.Terms()
	others, spent := p.ledger.Before(at.Seq)
	draft.Paid(c, certificate.LedgerRecord{Ledger: at.Where, Sequence: at.Seq, Head: at.Hash, Others: others,
		Spent: certificate.Epsilon(spent), Limit: certificate.Epsilon(terms.Epsilon), LimitDelta: terms.Delta})
	c.Recorded.SignWith(p.payment.SignCertificate)
	for i := 0; about.Earlier > 0 && i < len(earlier); i++ {
		c.Recorded.Earlier = append(c.Recorded.Earlier, certificate.LedgerRecord{Ledger: at.Where, Sequence: earlier[i].Record.Seq, Head: earlier[i].Record.Hash})
	}
	return l, nil
}

// Sign returns the signature of the run over the SHA-256 of a checkpoint, or nil if no ledger pays.
func (p *Purse) Sign(digest []byte) []byte {
	if p == nil || p.payment == nil {
		return nil
	}
	return p.payment.Sign(digest)
}

// goOn notes how much of a plan the ledger paid for already, in earlier runs. Where another ledger paid for
// them, or none, all of the plan is charged.
func (p *Purse) goOn(about *budget.Ask, earlier []budget.EarlierRun) error {
	err := p.ledger.Continues(earlier, about.Population)
	if errors.Is(err, budget.ErrElsewhere) {
		return nil
	}
	for _, r := range earlier {
		about.Earlier += r.Releases
	}
	if about.Earlier > 0 {
		about.Own = budget.Guarantee{} // that of the whole plan
	}
	return err
}

// withFitting adds to the refusal of one number with noise the epsilon at which it fits. Refusals
// name that of Gaussian noise, and Laplace noise costs more under most filters. Other plans may
// take long to price.
func (p *Purse) withFitting(ctx context.Context, err error, c *certificate.Certificate) error {
	if !errors.Is(err, ledger.ErrOverBudget) {
		return err
	}
	a, failed := askOf(*c)
	if failed != nil {
		return err
	}
	switch a.Event.(type) {
	case mechanism.Laplace, mechanism.DiscreteLaplace, mechanism.DiscreteGaussian:
	default:
		return err
	}
	a.Population = p.wish.Population
	if f := p.ledger.fitting(ctx, a); f != nil {
		return fmt.Errorf("%w; this plan fits with epsilon %s or less at delta %s", err, display.Rounded(float64(f.Epsilon), 4, false), display.Plain(c.Delta))
	}
	return err
}

// refused names the ledger in an error.
func (p *Purse) refused(err error) error {
	if errors.Is(err, ledger.ErrOverBudget) {
		return fmt.Errorf("%s: %w; nothing was read or spent", display.OneLine(p.ledger.Where), err)
	}
	return fmt.Errorf("%s: %w", display.OneLine(p.ledger.Where), err)
}

// Close ends the run. The argument files has the results of the run, or is nil. The price of
// releases that never began is given back if a proof allows it. The price of all others stays
// spent. Close returns in words what is left.
func (p *Purse) Close(ctx context.Context, files map[string][]byte) (words string, err error) {
	if p == nil {
		return "", nil
	}
	defer p.ledger.Close()
	if p.payment == nil {
		return "", nil
	}
	hash := ""
	if text, is := files[certificate.FileName]; is {
		hash = certificate.Hash(text)
	}
	if err = p.payment.Settle(context.WithoutCancel(ctx), hash); err != nil {
		return "", failure.Running(fmt.Errorf("%s: %w", display.OneLine(p.ledger.Where), err))
	}
	left, err := p.ledger.Left(p.wish.Population)
	if err != nil {
		return "", failure.Running(err)
	}
	return fmt.Sprintf("ledger     %s: record %d; %s of the budget is spent, and one more release may cost epsilon %s",
		display.OneLine(p.ledger.Where), p.payment.Places()[0].Seq, budget.Percent(p.ledger.Standing().Share), leftNumber(left.Epsilon)), nil
}

// End ends the run as Close does, and writes to w what is left. It returns the error of the run and
// its own error.
func (p *Purse) End(ctx context.Context, files map[string][]byte, w io.Writer, failed error) error {
	words, err := p.Close(ctx, files)
	switch {
	case failed != nil && err != nil:
		return fmt.Errorf("%w; %w", failed, err)
	case failed != nil:
		return failed
	}
	if err == nil && words != "" {
		fmt.Fprintln(w, words)
	}
	return err
}

// UncountedEvaluation is the text about an evaluation on private records that no ledger counts.
const UncountedEvaluation = "ledger     none: nothing adds this evaluation to other releases from the same records; a model does not carry its ledger, and --ledger FILE names one"

// Uncounted is the text about a run that no ledger counts.
const Uncounted = "ledger     none: nothing adds this run to others on the same records; dither ledger create makes one"
