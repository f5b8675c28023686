package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/query"
)

// Holdout is a random part of the records that is not used for training. The trained model is
// measured on this part, privately. Each record is held out independently with probability Share.
// So each record is used either for training or for the measurement, and the plan costs the larger
// of the two costs (see mechanism.Parallel).
type Holdout struct {
	// Share is the probability that a record is held out.
	Share float64 `json:"share"`
	// Evaluation is the plan of the measurement.
	Evaluation evaluate.Plan `json:"evaluation"`
}

// HoldoutRequest requests a Holdout. The measurement on the held-out records has the epsilon,
// delta, relation and unit of the training.
type HoldoutRequest struct {
	// Share is the probability that a record is held out.
	Share float64
	// Noise has the meaning of evaluate.Request.Noise.
	Noise string
	// Bins has the meaning of evaluate.Request.Bins.
	Bins int
	// LowScore, HighScore and Threshold have the meaning of the fields of evaluate.Request with
	// these names.
	LowScore, HighScore, Threshold float64
	// ResidualBound has the meaning of evaluate.Request.ResidualBound.
	ResidualBound float64
	// GroupColumn has the meaning of evaluate.Request.GroupColumn.
	GroupColumn string
}

// plan returns the holdout of the plan for a request.
func (h *HoldoutRequest) plan(r Request, s *data.Schema) (*Holdout, error) {
	if h == nil {
		return nil, nil
	}
	if math.IsInf(r.Epsilon, 1) {
		return nil, errFreeHoldout
	}
	e := evaluate.Request{Epsilon: r.Epsilon, Delta: r.Delta, Neighboring: r.Neighboring, Noise: h.Noise, Bins: h.Bins, LowScore: h.LowScore, HighScore: h.HighScore,
		Threshold: h.Threshold, ResidualBound: h.ResidualBound, GroupColumn: h.GroupColumn}
	if r.Person != nil {
		e.Person = &query.Person{Column: r.Person.Column, MaxRows: r.Person.MaxRows}
	}
	p, err := evaluate.NewPlan(e, s)
	if err != nil {
		return nil, err
	}
	p.Unit = r.Person.unit(s.Row)
	return &Holdout{Share: h.Share, Evaluation: p}, nil
}

var errFreeHoldout = errors.New("train: a part is held out for a private evaluation of a plan without privacy, want a budget")

// validate returns an error if the holdout does not fit the plan.
func (h *Holdout) validate(p Plan) error {
	if h == nil {
		return nil
	}
	e := h.Evaluation
	samePerson := (e.Person != nil) == (p.Person != nil) && (e.Person == nil || e.Person.Column == p.Person.Column && e.Person.MaxRows == p.Person.MaxRows)
	switch {
	case !(h.Share > 0 && h.Share < 1):
		return fmt.Errorf("train: the held-out share is %v, want more than 0 and less than 1", h.Share)
	case p.NonPrivate:
		return errFreeHoldout
	case p.Sampling == samplingFixedSize:
		return fmt.Errorf("train: batches of fixed size are asked for with a part held out, want all records, Poisson samples or parts; how many records are left is not public")
	case e.Neighboring != p.Neighboring || e.Delta != p.Delta || e.Unit != p.Unit || e.RowsPerPerson != p.RowsPerPerson || e.MaxRecords != p.MaxRecords || !samePerson:
		return fmt.Errorf("train: the evaluation of the held-out part is of another relation, delta, unit or number of records, want those of the plan")
	}
	return e.Validate()
}

// trained returns the share of the records that is trained on.
func (p Plan) trained() float64 {
	if p.Holdout == nil {
		return 1
	}
	return 1 - p.Holdout.Share
}

// divide lists the records to train on and the records held out, according to held.
func divide(records int, held []int) (trained, out []int) {
	trained, out = make([]int, 0, records-len(held)), held
	for i := range records {
		if len(held) > 0 && held[0] == i {
			held = held[1:]
			continue
		}
		trained = append(trained, i)
	}
	return trained, out
}

// split draws the rows to train on and the rows to hold out. Each record has a coin from the
// operating system's random numbers. All rows of a person share one coin. Rows that belong to no
// person are trained on, where they contribute nothing.
func (s Setup) split(d *data.Dataset) (trained, held []int, err error) {
	coins, err := release.Poisson(s.Plan.Holdout.Share)
	if err != nil {
		return nil, nil, err
	}
	return s.splitBy(d, func(records int) ([]int, error) {
		sample, failed := release.Draw(coins, records)
		return sample.Indices(), failed
	})
}

// splitBy is split with coins for this many records. The held-out records are listed in order.
func (s Setup) splitBy(d *data.Dataset, coins func(records int) ([]int, error)) (trained, held []int, err error) {
	if s.Plan.Person == nil {
		chosen, failed := coins(d.Records())
		if failed != nil {
			return nil, nil, failed
		}
		trained, held = divide(d.Records(), chosen)
		return trained, held, nil
	}
	codes, levels, err := d.Texts(s.Plan.Person.Column)
	if err != nil {
		return nil, nil, fmt.Errorf("train: the column of persons: %w", err)
	}
	persons := len(levels) + 1 // one more for texts outside the declared levels
	chosen, err := coins(persons)
	if err != nil {
		return nil, nil, err
	}
	out := make([]bool, persons)
	for _, person := range chosen {
		out[person] = true
	}
	for i, code := range codes {
		if code >= 0 && out[code] {
			held = append(held, i)
		} else {
			trained = append(trained, i)
		}
	}
	return trained, held, nil
}

// fitHoldout is Fit for a plan with a held-out part. It trains on the other records, then makes one
// noisy release about the held-out ones.
func (s Setup) fitHoldout(ctx context.Context, l *ledger.Ledger, d *data.Dataset, o Options) (*Result, error) {
	trained, held, err := s.split(d)
	if err != nil {
		return nil, err
	}
	s, t, grant, err := s.begin(l, d.Take(trained), o.FeatureBits)
	if err != nil {
		return nil, err
	}
	result, err := s.descendPaid(ctx, grant, t, o)
	if err != nil {
		return nil, err
	}
	out, err := d.Take(held).Under(s.Schema)
	if err != nil {
		return nil, err
	}
	records, err := recordsOf(result.Model, s.Plan.Holdout.Evaluation, out)
	if err != nil {
		return nil, err
	}
	result.Evaluation, err = evaluate.Release(together.Payer(ctx, grant), s.Plan.Holdout.Evaluation, records)
	return result, err
}

// recordsOf predicts records for a private evaluation.
func recordsOf(m *model.Model, p evaluate.Plan, d *data.Dataset) (evaluate.Records, error) {
	out := evaluate.Records{Targets: make([]float64, d.Records())}
	reader, k := m.NewReader(d), m.Outputs()
	prediction := make([]float64, k)
	for i, v := range d.Target() {
		out.Targets[i] = float64(v)
		reader.Predict(prediction, i)
		if len(p.Levels) == 2 {
			out.Predictions = append(out.Predictions, prediction[k-1])
		} else {
			out.Predictions = append(out.Predictions, prediction...)
		}
	}
	var err error
	if p.GroupColumn != "" {
		if out.Groups, _, err = d.Group(p.GroupColumn); err != nil {
			return evaluate.Records{}, err
		}
	}
	if p.Person == nil {
		return out, nil
	}
	codes, known, err := d.Texts(p.Person.Column)
	if err != nil {
		return evaluate.Records{}, err
	}
	out.Persons = pick.PersonsOf(codes, len(known), p.Person.MaxRows, nil)
	return out, nil
}
