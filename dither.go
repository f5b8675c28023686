package dither

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Budget is what all releases of one data set together may cost. It lives in memory, for one process. Calls that
// spend of one budget wait for each other.
type Budget struct {
	epsilon, delta float64
	neighboring    privacy.Neighboring
	mu             sync.Mutex
	ledger         *ledger.Ledger // nil: nothing was planned
	unit           privacy.Unit
}

// NewBudget returns an unspent budget of epsilon, in nats, and delta under a relation. Both must be positive and
// finite, and delta less than 1. It is for one data set: each further data set with records of the same people takes
// of the same budget.
func NewBudget(epsilon, delta float64, n privacy.Neighboring) (*Budget, error) {
	if _, err := privacy.NewGuarantee(epsilon, delta, n, privacy.Unit{Row: "one record"}); err != nil {
		return nil, err
	}
	if delta == 0 || math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("dither: budget is epsilon %v and delta %v, want a finite epsilon and a positive delta", epsilon, delta)
	}
	return &Budget{epsilon: epsilon, delta: delta, neighboring: n}, nil
}

// Left returns an epsilon that one more release of Gaussian noise may cost, at the delta of the budget, rounded down.
// It is 0 when nothing is left.
func (b *Budget) Left() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left()
}

func (b *Budget) left() float64 {
	if b.ledger == nil || len(b.ledger.Entries()) == 0 {
		return b.epsilon
	}
	// Squares of μ add up under adaptive composition: Smith & Thakurta 2022, https://arxiv.org/abs/2210.17520.
	spent, err := account.GDP{}.Mu(b.ledger.Event(), b.neighboring)
	if err != nil {
		return 0 // what no Gaussian release prices is all that the ledger pays for
	}
	whole := account.GDP{}.MuOf(b.ledger.Limit())
	rest := math.Sqrt(whole*whole - spent*spent)
	if !(rest > whole*1e-6) {
		return 0
	}
	noise := mechanism.Gaussian{NoiseMultiplier: b.neighboring.Movement() / rest}
	epsilon, err := account.GDP{}.Epsilon(noise, b.delta, b.neighboring)
	if err != nil {
		return 0
	}
	return epsilon.Lower * (1 - 1e-6)
}

// asked returns the epsilon of a release that asks for this much, 0 for all that is left.
func (b *Budget) asked(epsilon float64) (float64, error) {
	left := b.left()
	switch {
	case epsilon < 0 || math.IsNaN(epsilon) || math.IsInf(epsilon, 1):
		return 0, fmt.Errorf("dither: epsilon is %v, want a positive finite number, or 0 for all that is left", epsilon)
	case left == 0 || epsilon > left:
		return 0, fmt.Errorf("dither: %w: epsilon %.6g of %.6g is left, want less to be asked for or a larger budget", ledger.ErrOverBudget, left, b.epsilon)
	case epsilon == 0:
		return left, nil
	}
	return epsilon, nil
}

// open returns the ledger that pays for an event. Gaussian releases add up under one filter; any other event is one
// plan that is fixed before its first release, and has the budget for itself.
func (b *Budget) open(e mechanism.Event, unit privacy.Unit) (*ledger.Ledger, error) {
	if b.ledger != nil && len(b.ledger.Entries()) > 0 {
		if unit != b.unit {
			return nil, fmt.Errorf("dither: unit is %v, want %v as in the releases before; take a budget for each data set", unit, b.unit)
		}
		return b.ledger, nil
	}
	limit, err := privacy.NewGuarantee(b.epsilon, b.delta, b.neighboring, unit)
	if err != nil {
		return nil, err
	}
	made := ledger.New
	if _, err = (account.GDP{}).Mu(e, b.neighboring); err != nil {
		made = ledger.NewSingle
	}
	if b.ledger, err = made(limit); err != nil {
		return nil, err
	}
	b.unit = unit
	return b.ledger, nil
}

// Option says what a call should do other than by default.
type Option func(*settings)

// settings are what options say; zero values are the defaults.
type settings struct {
	epsilon   float64
	where, by string
	progress  func(step, steps int, epsilon float64)
}

func settled(options []Option) settings {
	var s settings
	for _, o := range options {
		o(&s)
	}
	return s
}

// WithEpsilon lets Train or Query spend this much; 0, the default, is all that is left.
func WithEpsilon(epsilon float64) Option { return func(s *settings) { s.epsilon = epsilon } }

// WithProgress tells f of every finished step of Train and of what it would have cost to stop there.
func WithProgress(f func(step, steps int, epsilon float64)) Option {
	return func(s *settings) { s.progress = f }
}

// Where has Query look at the rows that meet a condition alone, such as "age >= 30 and sex = f".
func Where(condition string) Option { return func(s *settings) { s.where = condition } }

// By has Query answer for each level of a column.
func By(column string) Option { return func(s *settings) { s.by = column } }

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
		if !reflect.DeepEqual(r.Schema(), s) {
			return nil, errors.New("dither: data set is of another schema, want one that was read under the schema of this call")
		}
		return r, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return data.FromSlice(s, records, o)
}

// check refuses a budget or a schema that training and questions have no use for.
func (b *Budget) check(s *data.Schema) error {
	switch {
	case b == nil:
		return errors.New("dither: budget is nil, want one that NewBudget made")
	case s == nil:
		return errors.New("dither: schema is nil, want one that data.ReadSchema or data.ParseSchema made")
	case s.Tainted():
		return fmt.Errorf("dither: columns %q of the schema were copied out of the records, want declared bounds and levels; declare them from public knowledge", s.FromData)
	}
	return nil
}
