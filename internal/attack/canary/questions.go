package canary

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// questioned is a table of a few rows, which canaries join. Their number is 1, that of others 0.
const questioned = `dither-schema: 1
row: one row
max-records: 200
target: {column: label, levels: ["no", "yes"]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  who: ignore
  x: {numeric: [0, 1]}
  note: ignore
`

// person is one row of a table of questions.
type person struct {
	Who   string
	X     float64
	Note  string
	Label string
}

// coin returns a fair coin.
func coin() bool {
	b := make([]byte, 1)
	_, _ = rand.Read(b) // it never fails: the program ends if the system has no randomness
	return b[0]&1 == 1
}

// free pays for questions about canaries, who are nobody.
type free struct{}

// Pay accepts every event.
func (free) Pay(mechanism.Event) error { return nil }

// rowsOf returns how many rows a canary of a kind has.
func (k kind) rowsOf() int {
	if k.persons {
		return personRows
	}
	return 1
}

// question is a question of a kind. Its answers without noise, with a canary and without, say which of
// them a canary moves, and how. The score weighs noisy answers in that way.
func (k kind) question() plan {
	return func(canaries int) (planned, error) {
		q, err := k.asked()
		if err != nil {
			return planned{}, err
		}
		weights, err := k.weights(q)
		return planned{event: q.Plan().Event(), relation: privacy.AddOrRemoveOne, delta: delta, independent: true, run: func(ctx context.Context) (audit.Scores, error) {
			return each(ctx, canaries, func() (audit.Scores, error) {
				return withOne(weights, func(in bool) ([]float64, error) { return k.ask(q, in) })
			})
		}}, err
	}
}

// weights say how a canary moves the answers of a question. Where an answer is chosen, the canary makes
// points below its number the best ones; of two bounds it moves the upper one up.
func (k kind) weights(q *query.Question) ([]float64, error) {
	switch k.clipping {
	case "quantiles", "radius":
		return []float64{-1}, nil
	case "bounds":
		return []float64{0, 1}, nil
	}
	little := 1e-6
	if k.noise == choosing {
		little = 0.01 // choices have no epsilon above 1024
	}
	exact, err := q.WithNoise(little)
	if err != nil {
		return nil, err
	}
	return difference(func(in bool) ([]float64, error) { return k.ask(exact, in) })
}

// asked returns the question of a kind, of 4 in ε.
func (k kind) asked() (*query.Question, error) {
	s, err := data.ParseSchema("canaries", []byte(questioned))
	if err != nil {
		return nil, err
	}
	p := query.Plan{Statistic: query.Statistic(k.clipping), Noise: k.noise, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Delta: delta}}
	switch p.Expressions = []string{"x"}; p.Statistic {
	case "count":
		p.Expressions = nil
	case "covariance", "correlation":
		p.Expressions = []string{"x", "label = yes"}
	case "categories":
		p.Expressions, p.ThresholdDelta = []string{"note"}, delta/2
	case "histogram":
		p.Edges = []float64{0.5}
	case "quantiles":
		p.Quantiles = []float64{0.5}
	}
	if k.persons {
		p.Person = &query.Person{Column: "who", MaxRows: personRows}
	}
	q, err := query.NewQuestion(s, p)
	if err != nil {
		return nil, err
	}
	target, err := privacy.NewGuarantee(4, delta, privacy.AddOrRemoveOne, privacy.Unit{Row: s.Row})
	if err != nil {
		return nil, err
	}
	return q.Within(target)
}

// ask asks the question of a table with or without the canary. Of names the answer is whether the
// canary's is there.
func (k kind) ask(q *query.Question, in bool) ([]float64, error) {
	x := 1.0
	if k.othersOf() == 1 {
		x = 0.5 // both sides of it can be chosen
	}
	var rows []person
	for i := range k.othersOf() {
		rows = append(rows, person{fmt.Sprint(i), 0, "other", "no"})
	}
	if in {
		for range k.rowsOf() {
			rows = append(rows, person{"canary", x, "canary", "yes"})
		}
	}
	table, err := data.FromStructs(q.Schema(), rows, q.ReadOptions())
	if err != nil {
		return nil, err
	}
	answers, err := q.Ask(free{}, table)
	if err != nil {
		return nil, err
	}
	if k.clipping == "categories" {
		return []float64{float64(len(answers))}, nil
	}
	values := make([]float64, len(answers))
	for i, a := range answers {
		values[i] = a.Value
	}
	return values, nil
}

// othersOf returns how many other rows there are: one where an answer is chosen by ranks. Elsewhere
// there are many, because an answer that is divided by their number would be noise alone.
func (k kind) othersOf() int {
	switch k.clipping {
	case "quantiles", "bounds", "radius", "categories":
		return 1
	}
	return 40 * k.rowsOf()
}

// difference returns what a canary adds to answers.
func difference(ask func(in bool) ([]float64, error)) ([]float64, error) {
	with, err := ask(true)
	if err != nil {
		return nil, err
	}
	without, err := ask(false)
	if err != nil {
		return nil, err
	}
	for i := range with {
		with[i] -= without[i]
	}
	return with, nil
}

// withOne returns the score of one canary, whose run gives answers.
func withOne(weights []float64, run func(in bool) ([]float64, error)) (audit.Scores, error) {
	in, score := coin(), 0.0
	answers, err := run(in)
	for i, v := range answers {
		score += weights[i] * v
	}
	if in {
		return audit.Scores{Included: []float64{score}}, err
	}
	return audit.Scores{LeftOut: []float64{score}}, err
}

// measurement is a private evaluation of a kind: a histogram of scores.
func (k kind) measurement() plan {
	return func(canaries int) (planned, error) {
		s, err := data.ParseSchema("canaries", []byte(questioned))
		if err != nil {
			return planned{}, err
		}
		r := evaluate.Request{Epsilon: 4, Delta: delta, Neighboring: privacy.AddOrRemoveOne, Noise: k.noise, Bins: 1}
		if k.persons {
			r.Person = &query.Person{Column: "who", MaxRows: personRows}
		}
		p, err := evaluate.NewPlan(r, s)
		if err != nil {
			return planned{}, err
		}
		exact := p
		exact.NoiseMultiplier = 1e-6
		weights, err := difference(func(in bool) ([]float64, error) { return evaluate.Release(free{}, exact, k.measured(in)) })
		return planned{event: p.Event(), relation: privacy.AddOrRemoveOne, delta: delta, independent: true, run: func(ctx context.Context) (audit.Scores, error) {
			return each(ctx, canaries, func() (audit.Scores, error) {
				return withOne(weights, func(in bool) ([]float64, error) { return evaluate.Release(free{}, p, k.measured(in)) })
			})
		}}, err
	}
}

// measured are the rows that a measurement is of: a canary's are of the second level.
func (k kind) measured(in bool) evaluate.Records {
	r := evaluate.Records{Targets: []float64{0}, Predictions: []float64{0.4}}
	rows := []int{}
	if in {
		for range k.rowsOf() {
			rows = append(rows, len(r.Targets))
			r.Targets, r.Predictions = append(r.Targets, 1), append(r.Predictions, 0.6)
		}
	}
	if k.persons {
		r.Persons = [][]int{{0}}
		if in {
			r.Persons = append(r.Persons, rows)
		}
	}
	return r
}
