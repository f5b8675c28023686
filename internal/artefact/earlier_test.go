package artefact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// TestEarlierRunsOfEveryUnit goes on from a run that a ledger paid for, with and without a declared number of rows, and
// with persons as records, whose number is released in any case: the ledger's record is credited for the steps.
func TestEarlierRunsOfEveryUnit(t *testing.T) {
	for name, c := range map[string]struct {
		records, released int
		person            *train.PersonUnit
	}{"rows": {0, 8, nil}, "declared rows": {60, 7, nil}, "persons": {0, 8, &train.PersonUnit{Column: "who", MaxRows: 3}}, "persons of declared rows": {60, 8, &train.PersonUnit{Column: "who", MaxRows: 3}}} {
		s := &data.Schema{Row: "one row", Records: c.records, MaxRecords: 100, Target: data.Target{Column: "y", Levels: []string{"a", "b"}},
			Columns: []data.Column{{Name: "x", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero}, {Name: "who", Kind: data.Ignored}}}
		setup, err := neural.NewSetup(neural.Request{Epsilon: 4, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Layers: network.Layers{network.Linear{Outputs: 1}},
			Sampling: neural.Sampling{Kind: "full"}, Steps: 10, Person: c.person}, s)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(setup.Plan)
		if err != nil {
			t.Fatal(err)
		}
		var whole neural.Plan
		if err = json.Unmarshal([]byte(strings.Replace(string(text), `{`, `{"interrupted":[{"kept":5,"released":7}],`, 1)), &whole); err != nil {
			t.Fatal(err)
		}
		runs := Earlier(whole, []certificate.LedgerRecord{{Ledger: "l", Sequence: 2}})
		if len(runs) != 1 || runs[0].Releases != c.released || runs[0].Event.String() != setup.Plan.Event().String() {
			t.Errorf("%s: earlier runs are %+v, want one of %d releases", name, runs, c.released)
		}
	}
}
