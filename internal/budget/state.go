package budget

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/mechanism"
)

// Release is one reservation or import, for people to read.
type Release struct {
	// Seq is the number of the release's record. Time is the clock of its writer, in Unix seconds.
	Seq  uint64
	Time int64
	// Hash is the head of the chain after the release's record, in hexadecimal digits.
	Hash       string
	Event      mechanism.Event
	Purpose    string
	Person     string
	Run        string
	Population string
	// Own is the plan's own guarantee. Charge is the epsilon that the filter charges for the plan alone,
	// at the delta of the ledger.
	Own    Guarantee
	Charge float64
	// Share is the part of the ledger's capacity that the plan needs. Shares add up. Under basic,
	// and under rdp with several orders, their sum is an estimate.
	Share float64
	// Outcome is "" while the run is open.
	Outcome Outcome
	// Begun is the number of releases that a stopped run had begun.
	Begun int
	// Certificate is the hash of the certificate, or "" if no certificate is known. Source states
	// where an import comes from.
	Certificate, Source string
}

// held is a reservation or import with what it costs now.
type held struct {
	Release
	plan  priced
	price Price // what stands in the sums
	// settled is the number of the record that settled the reservation, 0 while none did.
	settled uint64
}

// state is what the records of a chain amount to. An error leaves it as it was.
type state struct {
	*rules
	create  *createRecord
	spent   *spent
	draws   float64
	list    []*held
	at      map[uint64]*held
	known   map[string]uint64 // certificates, and where they are
	heads   [][32]byte
	forfeit bool
	anchors []Anchor
}

// errEmpty is the error of a chain without a first record.
var errEmpty = errors.New("budget: the chain is empty, want a ledger that was created")

func newState() *state { return &state{at: map[uint64]*held{}, known: map[string]uint64{}} }

// apply takes in the next record.
func (s *state) apply(c chain.Record) error {
	r, err := decode(c.Payload)
	if err == nil {
		err = s.take(c, r)
	}
	if err != nil {
		return fmt.Errorf("record %d: %w", c.Seq, err)
	}
	s.heads = append(s.heads, c.Hash)
	return nil
}

func (s *state) take(c chain.Record, r record) error {
	if c.Seq != uint64(len(s.heads)) {
		return fmt.Errorf("budget: the record is number %d, want %d", c.Seq, len(s.heads))
	}
	if (r.Create != nil) != (c.Seq == 0) {
		return errors.New("budget: the terms of a ledger stand in its first record, want them there and nowhere else")
	}
	switch {
	case r.Create != nil:
		return s.takeCreate(r.Create)
	case r.Reserve != nil:
		p, err := s.read(r.Reserve.planRecord)
		if err == nil {
			s.hold(c, p, Release{Run: r.Reserve.Run})
		}
		return err
	case r.Import != nil:
		return s.takeImport(c, r.Import)
	case r.Settle != nil:
		return s.takeSettle(c.Seq, r.Settle)
	case r.Forfeit != nil:
		return s.takeForfeit(r.Forfeit)
	case r.Anchor != nil:
		return s.takeAnchor(*r.Anchor)
	}
	return checkTexts(r.Note.Text, r.Note.Who)
}

func (s *state) takeCreate(c *createRecord) error {
	t := c.terms()
	if err := t.Check(); err != nil {
		return err
	}
	if _, err := hex.DecodeString(c.WitnessKey); err != nil || !strict.IsHash(c.WitnessKey) || !strict.IsHash(c.Ledger) {
		return errors.New("budget: name of the ledger or key of witnesses is malformed, want 64 hexadecimal digits")
	}
	r, err := newRules(t)
	if err != nil {
		return err
	}
	s.rules, s.create, s.spent = r, c, newSpent(t, r.filter.size())
	return nil
}

// hold takes in a plan that is spent.
func (s *state) hold(c chain.Record, p priced, rel Release) {
	rel.Seq, rel.Time, rel.Hash = c.Seq, c.Time, hex.EncodeToString(c.Hash[:])
	rel.Event, rel.Purpose, rel.Person, rel.Population, rel.Own = p.event, p.record.Purpose, p.record.Person, p.record.Population, p.record.Own
	rel.Share = s.filter.share(p.price.Near)
	h := &held{Release: rel, plan: p, price: p.price}
	s.list, s.at[c.Seq] = append(s.list, h), h
	s.spent.add(p.population, p.price)
	s.draws += p.draws
}

func (s *state) takeImport(c chain.Record, i *importRecord) error {
	if err := s.freshCertificate(i.Certificate); err != nil {
		return err
	}
	if err := checkTexts(i.Source, i.Run); err != nil {
		return err
	}
	p, err := s.read(i.planRecord)
	if err != nil {
		return err
	}
	s.hold(c, p, Release{Run: i.Run, Outcome: Released, Certificate: i.Certificate, Source: i.Source})
	if i.Certificate != "" {
		s.known[i.Certificate] = c.Seq
	}
	return nil
}

// checkCertificate refuses what is no hash. "" is no certificate.
func checkCertificate(hash string) error {
	if hash != "" && !strict.IsHash(hash) {
		return fmt.Errorf("budget: hash of the certificate is %.80q, want 64 hexadecimal digits", hash)
	}
	return nil
}

// freshCertificate refuses the hash of a certificate that is counted already.
func (s *state) freshCertificate(hash string) error {
	if err := checkCertificate(hash); err != nil || hash == "" {
		return err
	}
	if at, known := s.known[hash]; known {
		return fmt.Errorf("budget: the certificate %.8s… is counted by record %d, want each once", hash, at)
	}
	return nil
}

// open returns a reservation that no record has ended.
func (s *state) open(seq uint64) (*held, error) {
	h, known := s.at[seq]
	if !known || h.Outcome != "" {
		return nil, fmt.Errorf("budget: record %d is no open reservation, want one", seq)
	}
	return h, nil
}

func (s *state) takeSettle(seq uint64, r *settleRecord) error {
	h, err := s.open(r.Reserve)
	if err == nil {
		err = checkCertificate(r.Certificate) // one certificate may be that of several reservations
	}
	if err != nil {
		return err
	}
	price := h.price
	switch {
	case r.Outcome == Stopped:
		if price, err = s.begun(h, r.Begun); err != nil {
			return err
		}
	case r.Outcome != Released && r.Outcome != Unknown || r.Begun != 0:
		return fmt.Errorf("budget: outcome is %.20q after %d releases, want %s, %s, or %s after a number", r.Outcome, r.Begun, Released, Unknown, Stopped)
	}
	s.spent.take(h.plan.population, h.price)
	h.price, h.settled = price, seq
	s.spent.add(h.plan.population, h.price)
	h.Share = s.filter.share(h.price.Near)
	h.Outcome, h.Begun, h.Certificate = r.Outcome, r.Begun, r.Certificate
	if r.Certificate != "" {
		s.known[r.Certificate] = r.Reserve
	}
	return nil
}

// begun returns the price of the releases of a plan that were begun. It errs where the filter has no proof
// that they cost less than the plan.
func (s *state) begun(h *held, releases int) (Price, error) {
	rest, whole := first(h.plan.event, releases)
	switch {
	case releases < 0 || whole:
		return Price{}, fmt.Errorf("budget: %d releases were begun, want fewer than the plan has", releases)
	case releases == 0:
		return zeroLike(h.price), nil
	case !s.filter.stepwise() || parallel(h.plan.event):
		return Price{}, errors.New("budget: the plan ended early, want it counted as a whole: its price is no sum over its releases")
	}
	part := priced{record: h.plan.record, event: rest, population: h.plan.population}
	part.record.Event = rest.String()
	if err := s.price(&part); err != nil {
		return Price{}, err
	}
	return Price{least(h.price.Near, part.price.Near), least(h.price.Moved, part.price.Moved)}, nil
}

func zeroLike(p Price) Price {
	out := Price{Near: make([]float64, len(p.Near))}
	if p.Moved != nil {
		out.Moved = make([]float64, len(p.Moved))
	}
	return out
}

// least is the smaller of two prices of one plan, number by number.
func least(a, b []float64) []float64 {
	var out []float64
	for i := range a {
		out = append(out, min(a[i], b[i]))
	}
	return out
}

func (s *state) takeForfeit(r *forfeitRecord) error {
	if err := checkTexts(r.Reason, r.Who); err != nil {
		return err
	}
	if r.Reserve == nil {
		s.forfeit = true
		return nil
	}
	h, err := s.open(*r.Reserve)
	if err == nil {
		h.Outcome = Unknown
	}
	return err
}

func (s *state) takeAnchor(a Anchor) error {
	if err := s.extends(a.Seq, a.Hash); err != nil {
		return err
	}
	if err := checkTexts(a.Where); err != nil {
		return err
	}
	s.anchors = append(s.anchors, a)
	return nil
}

// extends returns an error unless the record with this number has this hash.
func (s *state) extends(seq uint64, hash string) error {
	switch {
	case seq >= uint64(len(s.heads)):
		return fmt.Errorf("budget: the ledger has %d records, and record %d was seen before: records are missing, want the ledger that has them; this may be a restored backup or a copy", len(s.heads), seq)
	case hex.EncodeToString(s.heads[seq][:]) != hash:
		return fmt.Errorf("budget: record %d is not the one that was seen before, want the ledger that has it; this may be a restored backup, a copy or another ledger", seq)
	}
	return nil
}

// admits returns an error that wraps ErrOverBudget unless a plan fits.
func (s *state) admits(p priced) error {
	switch {
	case s.forfeit:
		return fmt.Errorf("budget: %w: all that was left is forfeited", ErrOverBudget)
	case s.draws+p.draws > mostDraws:
		return fmt.Errorf("budget: %w: the noise of the plans takes more draws than a ledger pays for", ErrOverBudget)
	case !s.spent.with(p.population, p.price, s.filter):
		return s.refusal(p)
	}
	return nil
}

// refusal says what a plan would take that does not fit, and what would fit.
func (s *state) refusal(p priced) error {
	together := ""
	if p.record.Rows > 1 {
		together = fmt.Sprintf(" for the %d rows of a person", p.record.Rows)
	}
	left, before := s.left(p.population), s.spent.share(s.filter)
	advice := s.fitting(p, left, together)
	s.spent.add(p.population, p.price)
	after := s.spent.share(s.filter)
	s.spent.take(p.population, p.price)
	return fmt.Errorf("budget: %w: %s%s would bring the ledger from %s to %s of its budget (epsilon %g at delta %g, %v); %s",
		ErrOverBudget, p.record.Purpose, together, Percent(before), Percent(after), s.terms.Epsilon, s.terms.Delta, s.terms.Neighboring, advice)
}

// fitting says which plan fits where this one does not.
func (s *state) fitting(p priced, left Left, together string) string {
	epsilon := display.Rounded(left.Epsilon, 4, false)
	f, is := s.filter.(basic)
	switch {
	case left.Epsilon == 0:
		return "nothing is left"
	case !is:
		return fmt.Sprintf("Gaussian noise of epsilon %s or less%s by itself fits", epsilon, together)
	case len(p.price.Near) == f.size() && p.price.Near[1] > left.Delta && left.Delta == 0:
		return fmt.Sprintf("the plan has delta %g, and no delta is left; a plan of epsilon %s or less%s fits at delta 0, with Laplace noise and --delta 0", p.price.Near[1], epsilon, together)
	case len(p.price.Near) == f.size() && p.price.Near[1] > left.Delta:
		return fmt.Sprintf("the plan has delta %g; a plan of epsilon %s or less%s fits at delta %s or less, with --delta", p.price.Near[1], epsilon, together, display.Rounded(left.Delta, 4, false))
	}
	return fmt.Sprintf("a plan of epsilon %s or less%s at its delta %g fits", epsilon, together, p.price.Near[1])
}

// Percent returns a part of a budget in words, rounded upward.
func Percent(share float64) string { return display.Rounded(100*share, 3, true) + " %" }

// Left is the amount of a budget that is left, rounded down.
type Left struct {
	// Epsilon is the largest one that one more plan of plain Gaussian noise may have, at Delta. Under
	// filter basic it is what is left of the sum, for a plan that takes all of Delta.
	Epsilon, Delta float64
}

// left returns what is left for plans about a population, -1 for all.
func (s *state) left(population int) Left {
	none := Left{Delta: s.terms.Delta}
	if s.forfeit || !s.spent.fits(s.filter) {
		return none
	}
	if f, is := s.filter.(basic); is {
		return s.leftBasic(f)
	}
	fits := func(z float64) (priced, bool) {
		one := gaussianAt(z, s.terms)
		p := priced{event: one.event, population: population, record: planRecord{Event: one.text, Rows: 1, Delta: one.delta, Relation: one.n}}
		return p, s.price(&p) == nil && s.spent.with(population, p.price, s.filter)
	}
	const least, most = 1e-3, 1e9
	low, high := math.Log(least), math.Log(most) // the multiplier fits at high
	if _, fitting := fits(most); !fitting {
		return none
	}
	for range 60 {
		if mid := low + (high-low)/2; high-low > 1e-12 {
			if _, fitting := fits(math.Exp(mid)); fitting {
				high = mid
			} else {
				low = mid
			}
		}
	}
	p, _ := fits(math.Exp(high))
	own, _, err := bestPrice(plan{p.event, p.record.Event, s.terms.Neighboring, 1, s.terms.Delta, unknownDraws})
	if err != nil || math.IsInf(own, 1) || own < s.terms.Epsilon*1e-6 {
		return none
	}
	return Left{own * (1 - 1e-6), s.terms.Delta}
}

// leftBasic subtracts, over the kinds of neighbors.
func (s *state) leftBasic(f basic) Left {
	left := Left{f.t.Epsilon, f.t.Delta}
	s.spent.cases(func(sum sums) bool {
		v := sum.floats()
		left.Epsilon = min(left.Epsilon, max(0, below(f.t.Epsilon-v[0])))
		left.Delta = min(left.Delta, max(0, below(f.t.Delta-v[1])))
		return true
	})
	return left
}
