package dither

import (
	"context"
	"crypto/ed25519"
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
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/signature"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Budget is a limit on the total privacy cost of all releases about one data set. NewBudget keeps
// its Budget in memory, for one process. OpenBudget keeps its Budget in a ledger, which processes
// share. Calls that spend from the same Budget run one after another. Only a pointer that one of
// these functions returned can spend: a call with a copy or a zero Budget is an error.
type Budget struct {
	self           *Budget // the address that NewBudget returned: a copy would spend a second time
	epsilon, delta float64
	neighboring    privacy.Neighboring
	calls          sync.Mutex     // held by a call that spends
	mu             sync.Mutex     // guards the fields below; never held while a call computes
	ledger         *ledger.Ledger // nil: nothing was planned
	unit           privacy.Unit
	book           *budget.Book    // the durable ledger that pays; nil for none
	where          string          // its address
	payment        *budget.Payment // of the call that spends from the book
	closed         bool            // guarded by calls
}

// NewBudget returns an unspent budget of epsilon and delta under a neighboring relation. Epsilon is
// in nats. Epsilon and delta must be positive and finite, and delta less than 1. One budget is for
// one data set. A second data set about the same people must be paid from the same budget. A schema
// that names a ledger is an error with such a budget: see OpenBudget.
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

// Left returns the epsilon, in nats, that one more Gaussian release may cost at the budget's delta.
// The number is rounded down. Left returns 0 when less than about a thousandth of the budget
// remains, because rounding leaves such a remainder when everything is spent. It also returns 0
// when a ledger cannot be read.
func (b *Budget) Left() float64 {
	if !b.made() {
		return 0
	}
	if b.book != nil {
		left, err := b.leftInBook(context.Background())
		if err != nil {
			return 0
		}
		return left
	}
	paying, _ := b.paying()
	if paying == nil {
		return b.epsilon
	}
	// Squares of μ add up under adaptive composition: Smith & Thakurta 2022,
	// https://arxiv.org/abs/2210.17520.
	spent, err := account.Mu(paying.Event(), b.neighboring)
	if err != nil {
		return 0 // no Gaussian release is priced, so the ledger pays for nothing more
	}
	whole := account.MuOf(paying.Limit())
	rest := math.Sqrt(whole*whole - spent*spent)
	// Left is short by a millionth of epsilon. So a call that asked for everything leaves at most
	// sqrt(2e-6) of whole.
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

// paying returns the ledger in which something was reserved, and the unit of its entries. It
// returns nil where nothing was reserved.
func (b *Budget) paying() (*ledger.Ledger, privacy.Unit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ledger == nil || len(b.ledger.Event()) == 0 {
		return nil, privacy.Unit{}
	}
	return b.ledger, b.unit
}

// asked returns the epsilon that a release gets when it asks for epsilon; 0 asks for all that is
// left.
func (b *Budget) asked(ctx context.Context, epsilon float64) (float64, error) {
	if err := b.reachable(ctx); err != nil {
		return 0, err
	}
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

// open returns the ledger that pays for an event about the data of a name. Gaussian releases add up
// under one filter. Any other event is one plan that is fixed before its first release, and it
// takes the budget alone.
func (b *Budget) open(ctx context.Context, name, purpose string, e mechanism.Event, unit privacy.Unit) (*ledger.Ledger, error) {
	if b.book != nil {
		return b.openUnder(ctx, unit, budget.Ask{Data: name, Event: e, Purpose: purpose})
	}
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

// inWords returns a unit as errors name it.
func inWords(u privacy.Unit) string {
	if u.RowsPerPerson == 0 {
		return strconv.Quote(u.Row)
	}
	return fmt.Sprintf("%q with at most %d rows a person", u.Row, u.RowsPerPerson)
}

// Option is an optional argument of Train, Query or Evaluate.
type Option func(*settings)

// settings are the options of a call; zero values are the defaults.
type settings struct {
	given    []string // names of the options
	epsilon  float64
	plan     query.Plan
	asking   query.Plan // the plan that Asking was given
	folder   *string    // nil: none
	words    string     // of WithInteractions
	key      ed25519.PrivateKey
	progress func(step, steps int, epsilon float64)
}

var errNoContext = errors.New("dither: ctx is nil, want a context, such as context.Background()")

// settled returns the settings of a call. It refuses a nil context and a nil option.
func settled(ctx context.Context, options []Option) (settings, error) {
	var s settings
	if ctx == nil {
		return s, errNoContext
	}
	for i, o := range options {
		if o == nil {
			return s, fmt.Errorf("dither: option %d is nil, want one that a function of this package returned", i+1)
		}
		o(&s)
	}
	if err := signature.Check(s.key); slices.Contains(s.given, "WithSignature") && err != nil {
		return s, fmt.Errorf("dither: option WithSignature: %w", err)
	}
	for _, c := range [][3]string{{"Where", s.asking.Where, s.plan.Where}, {"By", s.asking.By, s.plan.By}} {
		if c[1] != "" && c[1] != c[2] {
			return s, fmt.Errorf("dither: plan of Asking has %s %q, want it as the option %s", c[0], c[1], c[0])
		}
	}
	return s, nil
}

// only returns an error if an option outside the named ones was given.
func (s settings) only(call string, names ...string) error {
	for _, given := range s.given {
		if !slices.Contains(names, given) {
			return fmt.Errorf("dither: option of %s is %s, want none but %s", call, given, strings.Join(names, ", "))
		}
	}
	return nil
}

// option returns the option that has a name and changes the settings by set.
func option(name string, set Option) Option {
	return func(s *settings) {
		s.given = append(s.given, name)
		set(s)
	}
}

// WithEpsilon returns the option that limits the cost of Train, Query or Evaluate to this epsilon,
// in nats. 0, the default, spends the whole remaining budget. Releases that are not Gaussian spend
// the whole budget even with this option: see Train and Query.
func WithEpsilon(epsilon float64) Option {
	return option("WithEpsilon", func(s *settings) { s.epsilon = epsilon })
}

// WithProgress returns the option by which Train reports its progress: Train calls f during
// training. The first call has step 0 and comes after the preparation. If training has at most 100
// steps, a call follows each step. If training has more steps, a call follows about 100 of them.
// The argument epsilon of f is the total cost of a training that stops at that step, in nats.
// Within f, Left counts the whole cost of the training as spent. Do not call Train, Query or
// Evaluate with the same budget within f: the call would wait forever.
func WithProgress(f func(step, steps int, epsilon float64)) Option {
	return option("WithProgress", func(s *settings) { s.progress = f })
}

// Into returns the option by which Train writes the model, the certificate and report.html into a
// new folder, as Save does. Train creates the folder before it reads a record. During training the
// folder contains spent.json, which states the cost so far. If the process is killed, spent.json
// remains. If Train returns an error after the first release, the error names spent.json. Only
// Train accepts Into.
func Into(folder string) Option { return option("Into", func(s *settings) { s.folder = &folder }) }

// WithInteractions returns the option that selects whether Train fits functions of columns and of
// pairs of columns instead of a number for each column. The argument is "none", "bins", "auto", "all"
// or pairs such as "age*sex,hours*job", as in `dither train --interactions`. The default, "auto", is a
// rule from public numbers. Bins and pairs follow from the schema, so they cost nothing. Only Train
// accepts WithInteractions.
func WithInteractions(words string) Option {
	return option("WithInteractions", func(s *settings) { s.words = words })
}

// WithSignature returns the option by which Train signs the certificate. Save and Into write the
// signature as certificate.sig, and Verify can require it. The holder of the key vouches for the
// bytes of the certificate, which contains the hashes of all other files.
// x509.ParsePKCS8PrivateKey reads a key that `openssl genpkey -algorithm ed25519` made. Only Train
// accepts WithSignature.
func WithSignature(key ed25519.PrivateKey) Option {
	return option("WithSignature", func(s *settings) { s.key = key })
}

// Where returns the option by which Query uses only the rows that meet a condition. An example is
// "age >= 30 and sex = f".
func Where(condition string) Option {
	return option("Where", func(s *settings) { s.plan.Where = condition })
}

// By returns the option by which Query or Evaluate also releases a result for each level of a
// categorical column.
func By(column string) Option { return option("By", func(s *settings) { s.plan.By = column }) }

// PerPerson returns the option that protects all rows of a person together instead of one row. Rows
// with the same text in the column belong to one person. Only the first maxRows rows of each person
// are used, in the order of the records. All calls that spend from one budget need the same unit of
// protection.
func PerPerson(column string, maxRows int) Option {
	return option("PerPerson", func(s *settings) { s.plan.Person = &query.Person{Column: column, MaxRows: maxRows} })
}

// Asking returns the option that adds details to the question of Query. The details are these
// fields of p: Edges, Quantiles, Points, Of, Blocks, Noise, ThresholdDelta and Confidence. A field
// that does not apply to the question must be unset. If p.Where or p.By is set, it must equal the
// argument of the option Where or By. Query ignores all other fields of p.
func Asking(p query.Plan) Option {
	return option("Asking", func(s *settings) {
		was := s.plan
		s.asking = p
		s.plan = query.Plan{Where: was.Where, By: was.By, Person: was.Person, Edges: p.Edges, Quantiles: p.Quantiles, Points: p.Points,
			Of: p.Of, Blocks: p.Blocks, Noise: p.Noise, ThresholdDelta: p.ThresholdDelta, Confidence: p.Confidence}
	})
}

// read returns a data set made from a slice of structs, from the name of a file, from a source, or
// from a data set.
func read(ctx context.Context, s *data.Schema, records any, o data.ReadOptions) (*data.Dataset, error) {
	switch r := records.(type) {
	case nil:
		return nil, errors.New("dither: records are nil, want a slice of structs, the name of a file, a source or a data set")
	case string:
		return data.Read(ctx, s, data.Source{Path: r}, o)
	case data.Source:
		return data.Read(ctx, s, r, o)
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

// made reports whether NewBudget returned b and b is no copy.
func (b *Budget) made() bool { return b != nil && b.self == b }

// check refuses a budget or a schema that training and questions cannot use.
func (b *Budget) check(s *data.Schema) error {
	switch {
	case b == nil:
		return errors.New("dither: budget is nil, want the pointer that NewBudget returned")
	case !b.made():
		return errors.New("dither: budget is a copy or a zero value, want the pointer that NewBudget returned")
	case s == nil:
		return errors.New("dither: schema is nil, want one that data.ReadSchema or data.ParseSchema made")
	case s.Ledger != "" && b.book == nil:
		return fmt.Errorf("dither: schema names the ledger %s, and the budget is in memory, want OpenBudget with that ledger; else take the line ledger: out of the schema", s.Ledger)
	case s.Ledger != "" && !postgres.Same(b.where, s.Ledger):
		return fmt.Errorf("dither: schema names the ledger %s, and the budget is in %s, want one of them; else mend the line ledger: of the schema", s.Ledger, b.where)
	case s.Tainted():
		return fmt.Errorf("dither: columns %q of the schema were copied out of the records, want declared bounds and levels; declare them from public knowledge", s.FromData)
	}
	return nil
}
