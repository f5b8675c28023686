package bookkeeping

import (
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/privacy"
)

// Account is the state of a ledger, as dither ledger show prints it.
type Account struct {
	Where         string              `json:"where"`
	Ledger        string              `json:"ledger"`
	Data          string              `json:"data"`
	Epsilon       float64             `json:"epsilon"`
	Delta         float64             `json:"delta"`
	Neighboring   privacy.Neighboring `json:"neighboring"`
	Row           string              `json:"row"`
	RowsPerPerson int                 `json:"rows-per-person,omitempty"`
	Protected     string              `json:"protected"`
	Filter        budget.Filter       `json:"filter"`
	FilterNote    string              `json:"filter-note"`
	Who           string              `json:"who"`
	Tool          string              `json:"tool"`
	Created       string              `json:"created"`
	Records       int                 `json:"records"`
	Head          string              `json:"head"`
	// Spent is the epsilon that all releases would have together if their plans had been fixed in
	// advance. The cap of the ledger holds for any plans. Share is the used part of the filter's
	// capacity. Shares add up, but epsilons need not.
	Spent     certificate.Epsilon `json:"epsilon-spent"`
	Share     float64             `json:"share-spent"`
	Left      float64             `json:"epsilon-left"`
	DeltaLeft float64             `json:"delta-left"`
	// KeepsCap is false if imported releases exceeded the cap.
	KeepsCap  bool `json:"keeps-cap"`
	Forfeited bool `json:"forfeited"`
	Open      int  `json:"open"`
	// Populations are the parts of the data that share no person. Each states what is left for
	// plans about it alone.
	Populations []Population    `json:"populations,omitempty"`
	Months      []Month         `json:"over-time"`
	Releases    []Release       `json:"releases"`
	Anchors     []budget.Anchor `json:"anchors,omitempty"`

	terms  budget.Terms
	course []point
}

// Population is a part of the data with what is left of its budget.
type Population struct {
	budget.Population
	Left      float64 `json:"epsilon-left"`
	DeltaLeft float64 `json:"delta-left"`
}

// Month contains what the releases of one month added. The months follow the clocks of the writers.
type Month struct {
	Month    string              `json:"month"`
	Releases int                 `json:"releases"`
	Spent    certificate.Epsilon `json:"epsilon-spent"` // at the end of the month
	Share    float64             `json:"share-spent"`
}

// Release is one plan that was paid for.
type Release struct {
	Sequence   uint64 `json:"sequence"`
	Time       string `json:"time"`
	Purpose    string `json:"purpose"`
	Person     string `json:"person"`
	Run        string `json:"run,omitempty"`
	Population string `json:"population,omitempty"`
	Event      string `json:"event"`
	// Epsilon, at Delta, is the plan's own guarantee. Charge is the epsilon that the filter charges
	// for this plan alone.
	Epsilon    certificate.Epsilon `json:"epsilon"`
	Delta      float64             `json:"delta"`
	Accountant string              `json:"accountant"`
	Charge     certificate.Epsilon `json:"charge"`
	Share      float64             `json:"share"`
	// Outcome is "open" for a run that has not ended. For a stopped run, Begun is the number of its
	// releases that had begun.
	Outcome     string `json:"outcome"`
	Begun       int    `json:"begun,omitempty"`
	Certificate string `json:"certificate,omitempty"`
	Source      string `json:"source,omitempty"`
	Hash        string `json:"hash"`
}

// point is where a ledger stood after a number of releases.
type point struct {
	releases int
	share    float64
}

// open is the outcome of a run that has not ended.
const openOutcome = "open"

// mostPoints is how many places of the course are computed, and mostMonths how many months are
// listed.
const (
	mostPoints = 200
	mostMonths = 120
)

// Account returns the state of the ledger.
func (l *Ledger) Account() Account {
	s := l.Summary()
	t := s.Terms
	a := Account{Where: l.Where, Ledger: s.Ledger, Data: t.Name, Epsilon: t.Epsilon, Delta: t.Delta, Neighboring: t.Neighboring, Row: t.Unit.Row, RowsPerPerson: t.Unit.RowsPerPerson,
		Protected: Protected(t), Filter: t.Filter, FilterNote: t.Filter.Note(), Who: t.Who, Tool: t.Tool, Records: int(s.Head.Seq) + 1, Head: s.Head.Hash,
		Spent: certificate.Epsilon(s.Spent), Left: s.Left.Epsilon, DeltaLeft: s.Left.Delta, KeepsCap: s.Fits, Forfeited: s.Forfeited, Open: s.Open, Anchors: s.Anchors,
		Months: []Month{}, Releases: []Release{}, terms: t}
	if len(l.store.records) > 0 {
		a.Created = stamp(l.store.records[0].Time)
	}
	for _, p := range s.Parts {
		a.Populations = append(a.Populations, Population{p.Population, p.Left.Epsilon, p.Left.Delta})
	}
	for _, r := range s.Releases {
		a.Releases = append(a.Releases, releaseOf(r))
	}
	l.addCourse(&a)
	return a
}

func releaseOf(r budget.Release) Release {
	out := Release{Sequence: r.Seq, Time: stamp(r.Time), Purpose: r.Purpose, Person: r.Person, Run: r.Run, Population: r.Population, Event: r.Event.String(),
		Epsilon: certificate.Epsilon(r.Own.Epsilon), Delta: r.Own.Delta, Accountant: r.Own.Accountant, Charge: certificate.Epsilon(r.Charge), Share: r.Share,
		Outcome: string(r.Outcome), Begun: r.Begun, Certificate: r.Certificate, Source: r.Source, Hash: r.Hash}
	if out.Outcome == "" {
		out.Outcome = openOutcome
	}
	return out
}

// stamp returns a clock's time in UTC, the same in every zone.
func stamp(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

// addCourse adds the epsilon over the releases, and at the end of each month. Clocks may jump: a
// month is a row of releases in the order of the ledger.
func (l *Ledger) addCourse(a *Account) {
	var months []int // the last release of each
	n := len(a.Releases)
	for i, r := range a.Releases {
		month := r.Time[:len("2006-01")]
		if k := len(a.Months); k == 0 || a.Months[k-1].Month != month {
			a.Months, months = append(a.Months, Month{Month: month}), append(months, i)
		}
		k := len(a.Months) - 1
		a.Months[k].Releases++
		months[k] = i
	}
	if len(months) > mostMonths {
		a.Months, months = a.Months[len(months)-mostMonths:], months[len(months)-mostMonths:]
	}
	for k, at := range l.Course(months) {
		a.Months[k].Spent, a.Months[k].Share = certificate.Epsilon(at.Spent), at.Share
	}
	var places []int
	for k := range min(n, mostPoints) {
		places = append(places, (k+1)*n/min(n, mostPoints)-1)
	}
	for k, at := range l.Course(places) {
		a.course = append(a.course, point{places[k] + 1, at.Share})
		a.Share = at.Share
	}
}
