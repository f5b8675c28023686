// Package canary attacks trainings of this program with canaries. A canary is a record made for the
// attack whose gradient no other record shares. A fair coin decides whether it is in the table. The
// training is the one that users run, from the table to the released numbers; the attack reads
// released numbers and the public plan alone. It gives each canary a score, and package audit turns
// the scores into lower bounds on ε.
package canary

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// shape is what a table of canaries is like.
type shape struct {
	canaries, rows int // rows of one canary
	relation       privacy.Neighboring
	numeric        bool // the target is a number instead of one of two levels
	others         int  // rows that are in every table
}

// world is a table of canaries. Canary i is a row with level i of a column: its features are 0 but
// for one number, which no other row has.
type world struct {
	shape
	schema   *data.Schema
	included []bool // which canaries are in the table
	fixed    []bool // the coins, if not nil: tests set them
}

// row is a row of the table.
type row struct{ Who, Canary, Label string }

// newWorld returns a schema for canaries.
func newWorld(s shape) (*world, error) {
	schema, err := data.ParseSchema("canaries", []byte(s.schema()))
	return &world{shape: s, schema: schema, included: make([]bool, s.canaries)}, err
}

// draw returns a table in which each canary is with probability ½. Under replace-one every canary
// has a row. It has the canary's own level if it is included, and else a level of its own too.
func (w *world) draw() (*data.Dataset, error) {
	var records []row
	yes, no := "yes", "no"
	if w.numeric {
		yes, no = "1", "0"
	}
	coins := make([]byte, len(w.included))
	_, _ = rand.Read(coins) // it never fails: the program ends if the system has no randomness
	for i := range w.included {
		w.included[i] = coins[i]&1 == 1
		if w.fixed != nil {
			w.included[i] = w.fixed[i]
		}
		name := level(i)
		if w.replaces() && !w.included[i] {
			name = level(w.canaries + i)
		}
		if w.replaces() || w.included[i] {
			for range w.rows {
				records = append(records, row{fmt.Sprint(i), name, yes})
			}
		} else if w.relation == privacy.ZeroOut {
			records = append(records, row{Who: fmt.Sprint(i), Label: yes}) // it adds nothing
		}
	}
	for i := range w.others {
		records = append(records, row{fmt.Sprint("other", i), level(w.levels() - 1), no})
	}
	return data.FromStructs(w.schema, records, data.ReadOptions{Extra: []string{"who"}})
}

// replaces reports whether a canary that is not included is replaced by another row.
func (s shape) replaces() bool { return s.relation == privacy.ReplaceOne }

// levels returns the number of levels. The last one is for other rows.
func (s shape) levels() int {
	n := s.canaries
	if s.replaces() {
		n *= 2
	}
	return n + min(s.others, 1)
}

// level is the name of a level.
func level(i int) string { return fmt.Sprintf("c%d", i) }

// schema returns the schema of the table. The declared number of records is what is expected, and
// is exact under replace-one.
func (s shape) schema() string {
	var b strings.Builder
	records := max(1, s.canaries/2)
	if s.relation != privacy.AddOrRemoveOne {
		records = s.canaries
	}
	target := `{column: label, levels: ["no", "yes"]}`
	if s.numeric {
		target = "{column: label, bounds: [0, 1]}"
	}
	fmt.Fprintf(&b, "dither-schema: 1\nrow: one row\nmax-records: %d\nrecords: %d\ntarget: %s\n", s.canaries*s.rows+s.others, records*s.rows+s.others, target)
	b.WriteString("defaults: {missing: zero, out-of-range: clamp, unknown: other}\ncolumns:\n  who: ignore\n  canary: {levels: [")
	for i := range s.levels() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(level(i))
	}
	b.WriteString("]}\n")
	return b.String()
}

// again returns the world before its coins.
func (w *world) again() *world {
	return &world{shape: w.shape, schema: w.schema, included: make([]bool, w.canaries), fixed: w.fixed}
}

// scores divides the scores of canaries by the coins. The score of a canary is that of its level, less
// that of its other level where each canary has one of two.
func (w *world) scores(of func(level int) float64) audit.Scores {
	var s audit.Scores
	for i, in := range w.included {
		score := of(i)
		if w.replaces() {
			score -= of(w.canaries + i)
		}
		if in {
			s.Included = append(s.Included, score)
		} else {
			s.LeftOut = append(s.LeftOut, score)
		}
	}
	return s
}

// limit returns enough for one run.
func (w *world) limit(c certificate.Certificate) (privacy.Guarantee, error) {
	return privacy.NewGuarantee(float64(c.Epsilon)*(1+1e-9), float64(c.Delta), w.relation, privacy.Unit{Row: w.schema.Row})
}

// start returns a ledger and a table for one run: canaries are nobody.
func (w *world) start(c certificate.Certificate) (*ledger.Ledger, *data.Dataset, error) {
	limit, err := w.limit(c)
	if err != nil {
		return nil, nil, err
	}
	l, err := ledger.NewSingle(limit)
	if err != nil {
		return nil, nil, err
	}
	table, err := w.draw()
	return l, table, err
}
