package canary

import (
	"context"
	"crypto/rand"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// asked is a table of a few rows, which canaries join. Their number is 1, that of others 0.
const asked = `dither-schema: 1
row: one row
max-records: 100
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

// withOne returns the scores of one canary, whose run gives a number.
func withOne(run func(in bool) (float64, error)) (audit.Scores, error) {
	in := coin()
	score, err := run(in)
	if in {
		return audit.Scores{Included: []float64{score}}, err
	}
	return audit.Scores{LeftOut: []float64{score}}, err
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

// question is a question of a kind. The score is the first number of the answer, or of names whether
// the canary's is there.
func (k kind) question() plan {
	return func(canaries int) (planned, error) {
		s, err := data.ParseSchema("canaries", []byte(asked))
		if err != nil {
			return planned{}, err
		}
		p := query.Plan{Statistic: query.Statistic(k.clipping), Noise: k.noise, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Delta: delta}}
		switch p.Statistic {
		case "count":
		case "covariance", "correlation":
			p.Expressions = []string{"x", "label = yes"}
		case "categories":
			p.Expressions, p.ThresholdDelta = []string{"note"}, delta/2
		case "histogram":
			p.Expressions, p.Edges = []string{"x"}, []float64{0.5}
		default:
			p.Expressions = []string{"x"}
		}
		if p.Statistic == "quantiles" {
			p.Quantiles = []float64{0.75}
		}
		if k.persons {
			p.Person = &query.Person{Column: "who", MaxRows: personRows}
		}
		q, err := query.NewQuestion(s, p)
		if err != nil {
			return planned{}, err
		}
		target, err := privacy.NewGuarantee(4, delta, privacy.AddOrRemoveOne, privacy.Unit{Row: s.Row})
		if err == nil {
			q, err = q.Within(target)
		}
		if err != nil {
			return planned{}, err
		}
		return planned{event: q.Plan().Event(), relation: privacy.AddOrRemoveOne, delta: delta, independent: true, run: func(ctx context.Context) (audit.Scores, error) {
			return each(ctx, canaries, func() (audit.Scores, error) { return withOne(func(in bool) (float64, error) { return k.ask(q, in) }) })
		}}, nil
	}
}

// ask asks the question of a table with or without the canary.
func (k kind) ask(q *query.Question, in bool) (float64, error) {
	rows := []person{{"a", 0, "a", "no"}, {"b", 0, "b", "no"}}
	if in {
		for range k.rowsOf() {
			rows = append(rows, person{"canary", 1, "canary", "yes"})
		}
	}
	table, err := data.FromStructs(q.Schema(), rows, q.ReadOptions())
	if err != nil {
		return 0, err
	}
	answers, err := q.Ask(free{}, table)
	if err != nil {
		return 0, err
	}
	at := len(answers) - 1 // the cell or pair that a canary moves most
	if k.clipping == "categories" {
		for _, a := range answers {
			if a.Name == "canary" {
				return 1, nil
			}
		}
		return 0, nil
	}
	return answers[at].Value, nil
}

// measurement is a private evaluation of a kind: a histogram of scores. The score of a canary is the
// number of its cell.
func (k kind) measurement() plan {
	return func(canaries int) (planned, error) {
		s, err := data.ParseSchema("canaries", []byte(asked))
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
		return planned{event: p.Event(), relation: privacy.AddOrRemoveOne, delta: delta, independent: true, run: func(ctx context.Context) (audit.Scores, error) {
			return each(ctx, canaries, func() (audit.Scores, error) {
				return withOne(func(in bool) (float64, error) {
					numbers, err := evaluate.Release(free{}, p, k.measured(in))
					if err != nil {
						return 0, err
					}
					return numbers[len(p.Levels)-1], nil // of one bin and the second level
				})
			})
		}}, nil
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
