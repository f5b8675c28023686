package budget

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/privacy"
)

// recordVersion is the version of the records that this program writes, and the only one that it reads.
const recordVersion = 1

// record is one link of the chain: exactly one of its kinds is there.
type record struct {
	Version int            `json:"version"`
	Create  *createRecord  `json:"create,omitempty"`
	Reserve *reserveRecord `json:"reserve,omitempty"`
	Settle  *settleRecord  `json:"settle,omitempty"`
	Forfeit *forfeitRecord `json:"forfeit,omitempty"`
	Anchor  *Anchor        `json:"anchor,omitempty"`
	Import  *importRecord  `json:"import,omitempty"`
	Note    *noteRecord    `json:"note,omitempty"`
}

// createRecord is the first record of a chain.
type createRecord struct {
	Ledger      string              `json:"ledger"`
	WitnessKey  string              `json:"witness-key"`
	Name        string              `json:"name"`
	Epsilon     float64             `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring privacy.Neighboring `json:"neighboring"`
	Row         string              `json:"row"`
	Rows        int                 `json:"rows-per-person"`
	Person      bool                `json:"person"`
	Column      string              `json:"column,omitempty"`
	Filter      Filter              `json:"filter"`
	Populations []Population        `json:"populations,omitempty"`
	Who         string              `json:"who"`
	Tool        string              `json:"tool"`
}

// planRecord is what reservations and imports state of a plan.
type planRecord struct {
	Purpose    string              `json:"purpose"`
	Person     string              `json:"person"`
	Population string              `json:"population,omitempty"`
	Event      string              `json:"event"`
	Draws      int                 `json:"noise-draws,omitempty"`
	Rows       int                 `json:"rows"` // of one protected unit
	Delta      float64             `json:"delta"`
	Relation   privacy.Neighboring `json:"neighboring"`
	Own        Guarantee           `json:"own"`
	Near       []float64           `json:"charge"`
	Moved      []float64           `json:"charge-moved,omitempty"`
}

type reserveRecord struct {
	planRecord
	Run string `json:"run"`
}

type importRecord struct {
	planRecord
	Certificate string `json:"certificate"`
	Source      string `json:"source"`
	Run         string `json:"run,omitempty"` // of a reservation that a merger took
}

// Guarantee is what a plan alone proves, by the accountant that prices it best.
type Guarantee struct {
	Epsilon    float64 `json:"epsilon"`
	Delta      float64 `json:"delta"`
	Accountant string  `json:"accountant"`
}

type settleRecord struct {
	Reserve     uint64  `json:"reserve"`
	Outcome     Outcome `json:"outcome"`
	Begun       int     `json:"begun"`
	Certificate string  `json:"certificate,omitempty"`
}

// Outcome is how a reserved run ended.
type Outcome string

// Outcomes of runs. An unknown outcome is spent. Of a stopped run the releases that were never begun are
// given back.
const (
	Released Outcome = "released"
	Unknown  Outcome = "unknown"
	Stopped  Outcome = "stopped"
)

// forfeitRecord gives up one reservation, or all that is left.
type forfeitRecord struct {
	Reserve *uint64 `json:"reserve,omitempty"`
	Reason  string  `json:"reason"`
	Who     string  `json:"who"`
}

// Anchor is a head of the chain that was noted at another place.
type Anchor struct {
	Seq   uint64 `json:"seq"`
	Hash  string `json:"hash"`
	Where string `json:"where"`
}

type noteRecord struct {
	Text string `json:"text"`
	Who  string `json:"who"`
}

// encode returns the payload of a record.
func encode(r record) ([]byte, error) {
	r.Version = recordVersion
	return json.Marshal(r)
}

// errNewer is the error of a record that a later program wrote.
var errNewer = errors.New("budget: the record is of a newer version, want a program of that version to read the ledger")

// decode reads a payload that encode wrote. Every other spelling of the same record is refused, so a
// payload has one reading.
func decode(payload []byte) (record, error) {
	var r record
	if err := json.Unmarshal(payload, &r); err != nil || r.Version != recordVersion {
		if r.Version > recordVersion {
			return record{}, errNewer
		}
		return record{}, fmt.Errorf("budget: the record has version %d, want %d: %w", r.Version, recordVersion, cmp.Or(err, errSpelling))
	}
	kinds := 0
	for v, i := reflect.ValueOf(r), 1; i < v.NumField(); i++ {
		if !v.Field(i).IsNil() {
			kinds++
		}
	}
	again, err := encode(r)
	if err == nil && kinds == 1 && bytes.Equal(again, payload) {
		return r, nil
	}
	return record{}, errors.Join(errSpelling, strict.Decode(payload, &r))
}

// errSpelling is the error of a payload that encode did not write.
var errSpelling = errors.New("budget: the record is not as this program writes it, want one kind in one spelling")

// record returns the record of terms.
func (t Terms) record(ledger, key string) *createRecord {
	return &createRecord{Ledger: ledger, WitnessKey: key, Name: t.Name, Epsilon: t.Epsilon, Delta: t.Delta, Neighboring: t.Neighboring,
		Row: t.Unit.Row, Rows: t.Unit.RowsPerPerson, Person: t.Person, Column: t.Column, Filter: t.Filter, Populations: t.Populations, Who: t.Who, Tool: t.Tool}
}

// terms returns the terms in a record.
func (c createRecord) terms() Terms {
	return Terms{Name: c.Name, Epsilon: c.Epsilon, Delta: c.Delta, Neighboring: c.Neighboring, Unit: privacy.Unit{Row: c.Row, RowsPerPerson: c.Rows},
		Person: c.Person, Column: c.Column, Filter: c.Filter, Populations: c.Populations, Who: c.Who, Tool: c.Tool}
}
