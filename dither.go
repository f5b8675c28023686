package dither

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Budget is what all releases of one data set together may cost. It lives in memory, for one
// process. Calls that spend of one budget wait for each other. A copy of a Budget, or one that
// NewBudget did not make, spends nothing.
type Budget struct {
	self           *Budget // the address that NewBudget returned: a copy would spend a second time
	epsilon, delta float64
	neighboring    privacy.Neighboring
	calls          sync.Mutex     // held by a call that spends
	mu             sync.Mutex     // guards what follows, and is never held while a call computes
	ledger         *ledger.Ledger // nil: nothing was planned
	unit           privacy.Unit
}

// NewBudget returns an unspent budget of epsilon, in nats, and delta under a relation. Both must be
// positive and finite, and delta less than 1. It is for one data set: each further data set with
// records of the same people takes of the same budget.
func NewBudget(epsilon, delta float64, n privacy.Neighboring) (*Budget, error) {
	if _, err := privacy.NewGuarantee(epsilon, delta, n, privacy.Unit{Row: "one record"}); err != nil {
		return nil, err
	}
	if delta == 0 || math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("dither: budget is epsilon %v and delta %v, want a finite epsilon and a positive delta", epsilon, delta)
	}
	b := &Budget{epsilon: epsilon, delta: delta, neighboring: n}
	b.self = b
	return b, nil
}

// Left returns an epsilon that one more release of Gaussian noise may cost, at the delta of the
// budget, rounded down. It is 0 when nothing is left. It is also 0 below a thousandth or so of the
// budget, which rounding leaves of a budget that was all asked for.
func (b *Budget) Left() float64 {
	if !b.made() {
		return 0
	}
	paying, _ := b.paying()
	if paying == nil {
		return b.epsilon
	}
	// Squares of μ add up under adaptive composition: Smith & Thakurta 2022,
	// https://arxiv.org/abs/2210.17520.
	spent, err := account.Mu(paying.Event(), b.neighboring)
	if err != nil {
		return 0 // what no Gaussian release prices is all that the ledger pays for
	}
	whole := account.MuOf(paying.Limit())
	rest := math.Sqrt(whole*whole - spent*spent)
	// Left is short by a millionth of epsilon, so a call that asked for all of it leaves sqrt(2e-6)
	// of whole at most.
	if !(rest > whole*2e-3) {
		return 0
	}
	noise := mechanism.Gaussian{NoiseMultiplier: b.neighboring.Movement() / rest}
	epsilon, err := account.GDP.Epsilon(noise, b.delta, b.neighboring)
	if err != nil {
		return 0
	}
	return epsilon.Lower * (1 - 1e-6)
}

// paying returns the ledger that something was reserved in, and the unit of its entries; nil where
// nothing was.
func (b *Budget) paying() (*ledger.Ledger, privacy.Unit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ledger == nil || len(b.ledger.Entries()) == 0 {
		return nil, privacy.Unit{}
	}
	return b.ledger, b.unit
}

// asked returns the epsilon of a release that asks for this much, 0 for all that is left.
func (b *Budget) asked(epsilon float64) (float64, error) {
	left := b.Left()
	switch {
	case epsilon < 0 || math.IsNaN(epsilon) || math.IsInf(epsilon, 1):
		return 0, fmt.Errorf("dither: epsilon is %v, want a positive finite number, or 0 for all that is left", epsilon)
	case left == 0:
		return 0, fmt.Errorf("dither: %w: epsilon 0 of %v is left, want a larger budget", ledger.ErrOverBudget, b.epsilon)
	case epsilon > left:
		return 0, fmt.Errorf("dither: %w: epsilon is %v, want at most %v, which is left of %v", ledger.ErrOverBudget, epsilon, left, b.epsilon)
	case epsilon == 0:
		return left, nil
	}
	return epsilon, nil
}

// open returns the ledger that pays for an event. Gaussian releases add up under one filter. Any
// other event is one plan that is fixed before its first release, and has the budget for itself.
func (b *Budget) open(e mechanism.Event, unit privacy.Unit) (*ledger.Ledger, error) {
	_, notGaussian := account.Mu(e, b.neighboring)
	if paying, own := b.paying(); paying != nil {
		if unit != own {
			return nil, fmt.Errorf("dither: protected unit is %s, want %s as in the releases before; give the schemas of one budget the same row and rows-per-person, and its calls the same PerPerson",
				inWords(unit), inWords(own))
		}
		if notGaussian != nil {
			return nil, errors.New("dither: release is not Gaussian, want an unspent budget for it; give private bounds, bins and levels, quantiles and other choices a NewBudget of their own, whose epsilon and delta come on top")
		}
		return paying, nil
	}
	limit, err := privacy.NewGuarantee(b.epsilon, b.delta, b.neighboring, unit)
	if err != nil {
		return nil, err
	}
	made := ledger.New
	if notGaussian != nil {
		made = ledger.NewSingle
	}
	opened, err := made(limit)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger, b.unit = opened, unit
	return opened, nil
}

// inWords is a unit as an error names it.
func inWords(u privacy.Unit) string {
	if u.RowsPerPerson == 0 {
		return strconv.Quote(u.Row)
	}
	return fmt.Sprintf("%q with at most %d rows a person", u.Row, u.RowsPerPerson)
}

// Option says what a call should do other than by default.
type Option func(*settings)

// settings are what options say; zero values are the defaults.
type settings struct {
	given    []string // names of the options
	epsilon  float64
	plan     query.Plan
	asking   query.Plan // what Asking was given, whole
	folder   *string    // nil: none
	progress func(step, steps int, epsilon float64)
}

// settled returns what the options of a call say, and refuses a context or an option that is nil.
func settled(ctx context.Context, options []Option) (settings, error) {
	var s settings
	if ctx == nil {
		return s, errors.New("dither: ctx is nil, want a context, such as context.Background()")
	}
	for i, o := range options {
		if o == nil {
			return s, fmt.Errorf("dither: option %d is nil, want one that a function of this package returned", i+1)
		}
		o(&s)
	}
	for _, c := range [][3]string{{"Where", s.asking.Where, s.plan.Where}, {"By", s.asking.By, s.plan.By}} {
		if c[1] != "" && c[1] != c[2] {
			return s, fmt.Errorf("dither: plan of Asking has %s %q, want it as the option %s", c[0], c[1], c[0])
		}
	}
	return s, nil
}

// only returns an error if an option was given that is none of the named ones.
func (s settings) only(call string, names ...string) error {
	for _, given := range s.given {
		if !slices.Contains(names, given) {
			return fmt.Errorf("dither: option of %s is %s, want none but %s", call, given, strings.Join(names, ", "))
		}
	}
	return nil
}

// option is the option with a name that sets something.
func option(name string, set Option) Option {
	return func(s *settings) {
		s.given = append(s.given, name)
		set(s)
	}
}

// WithEpsilon lets Train, Query or Evaluate spend this much; 0, the default, is all that is left. A
// release that is not Gaussian takes the whole budget all the same: see Train.
func WithEpsilon(epsilon float64) Option {
	return option("WithEpsilon", func(s *settings) { s.epsilon = epsilon })
}

// WithProgress tells f how far Train is and what it would have cost to stop there: after the
// preparation, which is step 0, and after each step, or each hundredth of the steps if there are
// more than 100. In f, Left says what Train will leave. Train, Query and Evaluate with the same
// budget would wait for Train to end.
func WithProgress(f func(step, steps int, epsilon float64)) Option {
	return option("WithProgress", func(s *settings) { s.progress = f })
}

// Into has Train write what Save writes into a new folder, whose name it takes before it reads a
// record. From before the first release until the results stand there the folder holds spent.json,
// which says what is spent: a process that is killed leaves it. An error of Train after the first
// release names the file. It is for Train alone.
func Into(folder string) Option { return option("Into", func(s *settings) { s.folder = &folder }) }

// Where has Query look at the rows that meet a condition alone, such as "age >= 30 and sex = f".
func Where(condition string) Option {
	return option("Where", func(s *settings) { s.plan.Where = condition })
}

// By has Query or Evaluate answer for each level of a column as well.
func By(column string) Option { return option("By", func(s *settings) { s.plan.By = column }) }

// PerPerson protects all rows with one text in a column together: the first maxRows of them are
// used, and further ones count nowhere. Without it one row is protected. All calls that spend of
// one budget need the same unit.
func PerPerson(column string, maxRows int) Option {
	return option("PerPerson", func(s *settings) { s.plan.Person = &query.Person{Column: column, MaxRows: maxRows} })
}

// Asking has Query settle what its words leave open by the fields of a plan: Edges, Quantiles,
// Points, Of, Blocks, Noise, ThresholdDelta and Confidence. What the call itself settles is not taken
// from p: Where and By that are in p alone are refused.
func Asking(p query.Plan) Option {
	return option("Asking", func(s *settings) {
		was := s.plan
		s.asking = p
		s.plan = query.Plan{Where: was.Where, By: was.By, Person: was.Person, Edges: p.Edges, Quantiles: p.Quantiles, Points: p.Points,
			Of: p.Of, Blocks: p.Blocks, Noise: p.Noise, ThresholdDelta: p.ThresholdDelta, Confidence: p.Confidence}
	})
}

// read makes a data set of a slice of structs, the name of a file, or a data set.
func read(ctx context.Context, s *data.Schema, records any, o data.ReadOptions) (*data.Dataset, error) {
	switch r := records.(type) {
	case nil:
		return nil, errors.New("dither: records are nil, want a slice of structs, the name of a file or a data set")
	case string:
		return data.Read(ctx, s, data.Source{Path: r}, o)
	case *data.Dataset:
		if r == nil {
			return nil, errors.New("dither: data set is nil, want one that package data read")
		}
		if under, err := r.Under(s); err == nil {
			r = under
		}
		if !reflect.DeepEqual(r.Schema(), s) {
			return nil, errors.New("dither: data set is of another schema, want one that was read under the schema of this call")
		}
		for _, name := range o.Extra {
			if _, _, err := r.Group(name); err != nil {
				return nil, fmt.Errorf("dither: data set does not hold the texts of column %q, want them; read it with data.ReadOptions{Extra: []string{%q}}", name, name)
			}
		}
		return r, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return data.FromSlice(s, records, o)
}

// unspent returns an error if ctx has ended, before a call spends anything.
func unspent(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return errors.Join(errors.New("dither: stopped before anything was spent"), err)
	}
	return nil
}

// made reports whether NewBudget returned b.
func (b *Budget) made() bool { return b != nil && b.self == b }

// check refuses a budget or a schema that training and questions have no use for.
func (b *Budget) check(s *data.Schema) error {
	switch {
	case b == nil:
		return errors.New("dither: budget is nil, want the pointer that NewBudget returned")
	case !b.made():
		return errors.New("dither: budget is a copy or a zero value, want the pointer that NewBudget returned")
	case s == nil:
		return errors.New("dither: schema is nil, want one that data.ReadSchema or data.ParseSchema made")
	case s.Tainted():
		return fmt.Errorf("dither: columns %q of the schema were copied out of the records, want declared bounds and levels; declare them from public knowledge", s.FromData)
	}
	return nil
}
