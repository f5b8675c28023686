package bookkeeping

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/witness"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// request is that of most tests.
func request() Request {
	return Request{Data: "visits", Epsilon: 3, Delta: 1e-5, Neighboring: "add-or-remove-one", Unit: "row", Row: "one visit", Filter: budget.GDP, Who: "anna"}
}

// inMemory makes a ledger without a file.
func inMemory(t testing.TB, r Request) *Ledger {
	t.Helper()
	terms, err := r.Terms()
	if err != nil {
		t.Fatal(err)
	}
	store := chain.NewMemory()
	if _, err = budget.Create(t.Context(), store, terms); err != nil {
		t.Fatal(err)
	}
	l, err := open(t.Context(), store.Open(), "memory")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// reserve pays for a plan of Gaussian noise.
func (l *Ledger) reserve(t testing.TB, noise float64, purpose, population string) *budget.Reservation {
	t.Helper()
	terms := l.Terms()
	r, err := l.Reserve(t.Context(), budget.Ask{Event: mechanism.Gaussian{NoiseMultiplier: noise}, Delta: 1e-6, Neighboring: terms.Neighboring, Unit: terms.Unit,
		Purpose: purpose, Person: "bert", Population: population, Own: budget.Guarantee{Epsilon: 0.25, Delta: 1e-6, Accountant: "gdp"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTenThousandReleases: a ledger of 10,000 releases is read and shown. The work is counted, not the time:
// prices of equal plans are computed once, and the course at few places.
func TestTenThousandReleases(t *testing.T) {
	terms, err := request().Terms()
	if err != nil {
		t.Fatal(err)
	}
	store := chain.NewMemory()
	book, err := budget.Create(t.Context(), store, terms)
	if err != nil {
		t.Fatal(err)
	}
	l := &Ledger{book, "memory", &remembering{Store: store}}
	for range 10_000 {
		l.reserve(t, 2000, "a count", "")
	}
	begin := time.Now()
	again, err := open(t.Context(), store.Open(), "memory")
	if err != nil {
		t.Fatal(err)
	}
	a := again.Account()
	text, err := a.Text()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("read and shown in %v", time.Since(begin))
	if n := bytes.Count(text, []byte("a count")); n != 10_000 || a.Records != 10_001 || len(a.course) != mostPoints || a.Open != 10_000 {
		t.Errorf("got %d releases in the text, %d records, %d points and %d open runs, want 10000, 10001, %d and 10000", n, a.Records, len(a.course), a.Open, mostPoints)
	}
	if last := a.course[mostPoints-1]; last.releases != 10_000 || last.share != a.Share || !(a.Share > 0 && a.Share < 1) {
		t.Errorf("the course ends at %v, want 10000 releases at %v", last, a.Share)
	}
	var page bytes.Buffer
	if err = a.WritePage(&page); err != nil || !strings.Contains(page.String(), "The newest 2000 of 10000") || strings.Count(page.String(), "a count") != 2000 {
		t.Errorf("the page (%v) does not say that it lists 2000 of 10000 releases", err)
	}
}

// TestCourse: what was spent after each release is what the ledger said then.
func TestCourse(t *testing.T) {
	r := request()
	r.Populations = []string{"north: patients of the northern clinics", "south: patients of the others"}
	l := inMemory(t, r)
	var want []float64
	for i, population := range []string{"", "north", "south", "north", ""} {
		l.reserve(t, 5+float64(i), "a count", population)
		want = append(want, l.Summary().Spent)
	}
	spent := func(places ...int) (out []float64) {
		for _, at := range l.Course(places) {
			out = append(out, at.Spent)
		}
		return out
	}
	if got := spent(0, 1, 2, 3, 4); !slices.Equal(got, want) {
		t.Errorf("got the course %v, want %v", got, want)
	}
	if got := spent(1, 4); !slices.Equal(got, []float64{want[1], want[4]}) {
		t.Errorf("got %v, want %v and %v", got, want[1], want[4])
	}
	if want[2] != want[1] {
		t.Errorf("the south moved the total from %v to %v, want the dearest population alone", want[1], want[2])
	}
	a := l.Account()
	shares := a.Releases[0].Share + a.Releases[1].Share + a.Releases[3].Share + a.Releases[4].Share // without the south
	if math.Abs(a.Share-shares) > 1e-9 {
		t.Errorf("the share is %v, want the sum %v over the dearest population", a.Share, shares)
	}
	if len(a.Populations) != 2 || !(a.Populations[1].Left > a.Populations[0].Left) || a.Left != a.Populations[0].Left {
		t.Errorf("got %+v and %v left, want more left of the south, and of all what is left of the north", a.Populations, a.Left)
	}
	if text, err := a.Text(); err != nil || !strings.Contains(string(text), "patients of the northern clinics") || !strings.Contains(string(text), "population\n") {
		t.Errorf("the text (%v) lacks the populations:\n%s", err, text)
	}
}

// TestClocksThatJump: months are rows in the order of the ledger, and no clock changes a total.
func TestClocksThatJump(t *testing.T) {
	l := inMemory(t, request())
	for range 3 {
		l.reserve(t, 5, "a count", "")
	}
	a := l.Account()
	months := a.Months
	for i, stamp := range []string{"2026-03-01T00:00:00Z", "2016-02-01T00:00:00Z", "2026-03-02T00:00:00Z"} {
		a.Releases[i].Time = stamp
	}
	a.Months, a.course = nil, nil
	l.addCourse(&a)
	if len(a.Months) != 3 || a.Months[1].Month != "2016-02" || a.Months[2].Spent != months[len(months)-1].Spent {
		t.Errorf("got %+v, want 3 months, the last with %v", a.Months, months)
	}
}

// TestCSV: a purpose that a spreadsheet would run has an apostrophe in front, and the rows read back.
func TestCSV(t *testing.T) {
	l := inMemory(t, request())
	l.reserve(t, 5, `=HYPERLINK("x")`, "")
	l.reserve(t, 5, "a, b", "")
	text, err := l.Account().CSV()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][2] != `'=HYPERLINK("x")` || rows[2][2] != "a, b" || rows[0][0] != "sequence" || rows[1][0] != "1" {
		t.Errorf("got %q (%v), want two releases with harmless purposes", rows, err)
	}
	var page bytes.Buffer
	a := l.Account()
	a.Releases[0].Purpose = "<script>alert(1)</script>"
	if err = a.WritePage(&page); err != nil || strings.Contains(page.String(), "<script>alert") {
		t.Errorf("the page (%v) runs a purpose", err)
	}
}

// TestExportWithholds: an export has every record, without the half of the key of witnesses.
func TestExportWithholds(t *testing.T) {
	l := inMemory(t, request())
	l.reserve(t, 5, "a count", "")
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := reopened(t, l)
	var out bytes.Buffer
	if err := again.Export(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 || strings.Contains(out.String(), "witness-key") || strings.Contains(out.String(), again.WitnessKey()) {
		t.Errorf("got\n%s\nwant 2 records without the key", out.String())
	}
	for i, line := range lines {
		var e exported
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Sequence != uint64(i) || len(e.Hash) != 64 || e.Record == nil {
			t.Errorf("line %d is %s (%v), want a record with its place and hash", i, line, err)
		}
	}
	for _, payload := range []string{"no JSON", `{"version":1,"create":{"witness-key":"short","name":"x"}}`} {
		if _, err := public([]byte(payload)); err == nil {
			t.Errorf("%s: exported, want a refusal", payload)
		}
	}
}

// reopened reads the ledger again, as another process would.
func reopened(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	again, err := open(t.Context(), l.store.Store.(interface{ Open() chain.Store }).Open(), "memory")
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestPrice: what fits leaves what a ledger with it has left, and what does not fit is told with the least
// noise that does.
func TestPrice(t *testing.T) {
	l := inMemory(t, request())
	p, err := l.Price(t.Context(), "", "gaussian(5)")
	if err != nil || !p.Fits || p.Err() != nil {
		t.Fatalf("got %+v (%v), want a plan that fits", p, err)
	}
	l.reserve(t, 5, "a count", "")
	if a := l.Account(); math.Abs(p.LeftAfter-a.Left) > 1e-9 || p.After != a.Spent {
		t.Errorf("the price said %v left and %v spent, the ledger has %v and %v", p.LeftAfter, p.After, a.Left, a.Spent)
	}
	p, err = l.Price(t.Context(), "", "repeat(100, poisson(0.5, gaussian(2)))", "gaussian(3)")
	if err != nil || p.Fits || p.Fitting == nil || p.Err() == nil {
		t.Fatalf("got %+v (%v), want a plan that does not fit, and more noise", p, err)
	}
	by := p.Fitting.Noise
	fits := func(by float64) bool {
		q, failed := l.Price(t.Context(), "", fmt.Sprintf("repeat(100, poisson(0.5, gaussian(%v)))", 2*by), fmt.Sprintf("gaussian(%v)", 3*by))
		if failed != nil {
			t.Fatal(failed)
		}
		return q.Fits
	}
	if !fits(by) || fits(by*0.997) {
		t.Errorf("noise times %v: got fits %v, and a third of a percent less %v, want true and false", by, fits(by), fits(by*0.997))
	}
	if text, err := p.Text(); err != nil || !strings.Contains(string(text), "fits      no: with") {
		t.Errorf("got %s (%v), want what fits", text, err)
	}
	if _, known := louder(mechanism.Exponential{Epsilon: 1}, 2); known {
		t.Error("a choice has no noise, want none told")
	}
	for _, wrong := range []struct{ population, subject, want string }{
		{"", "no/such", "no/such"}, {"west", "gaussian(1)", "west"}, {"", "gaussian(", "position 10"}, {"", t.TempDir(), "certificate.json"},
	} {
		if _, err := l.Price(t.Context(), wrong.population, wrong.subject); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%+v: got %v, want an error that names it", wrong, err)
		}
	}
}

// TestTerms: flags make the terms that they name, and wrong ones are refused.
func TestTerms(t *testing.T) {
	r := request()
	r.Filter, r.Unit, r.Rows = "", "person:patient", 12
	if got, err := r.Terms(); err != nil || got.Filter.Name != budget.RDP || len(got.Filter.Orders) != 1 || got.Column != "patient" || !got.Person || got.Unit != (privacy.Unit{Row: "one visit", RowsPerPerson: 12}) {
		t.Errorf("got %+v (%v), want rdp at one order, for persons by patient", got, err)
	}
	r.Unit = "person"
	if got, err := r.Terms(); err != nil || got.Filter.Name != budget.ZCDP || !got.Person {
		t.Errorf("got %+v (%v), want zcdp for all rows of a person", got, err)
	}
	for _, c := range []struct {
		change func(*Request)
		want   string
	}{
		{func(r *Request) { r.Epsilon = 0 }, "epsilon"}, {func(r *Request) { r.Data = "" }, "--data visits; --schema"}, {func(r *Request) { r.Row = "" }, "row"},
		{func(r *Request) { r.Delta = 0 }, "delta"}, {func(r *Request) { r.Unit = "patient" }, "--unit"}, {func(r *Request) { r.Unit = "person:" }, "--unit"},
		{func(r *Request) { r.Unit = "person" }, "rows per person"}, {func(r *Request) { r.Filter = "renyi" }, "renyi"}, {func(r *Request) { r.Orders = []float64{8} }, "--order"},
		{func(r *Request) { r.Filter, r.Unit, r.Rows = budget.RDP, "person", 3 }, "--filter rdp"}, {func(r *Request) { r.Filter, r.Delta = budget.RDP, 0 }, "--delta"},
		{func(r *Request) { r.Populations = []string{"north"} }, "--population"}, {func(r *Request) { r.Populations = []string{"a: x", "a: y"} }, "population"},
		{func(r *Request) { r.Neighboring = "remove" }, "remove"}, {func(r *Request) { r.Filter, r.Orders = budget.RDP, []float64{1} }, "order"},
	} {
		r := request()
		c.change(&r)
		if _, err := r.Terms(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want an error with %q", r, err, c.want)
		}
	}
}

// TestMergeIsWholeOrNot: a merger that fails leaves no file, and one that succeeds closes the others.
func TestMergeIsWholeOrNot(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"a", "b"} {
		if _, err := Create(t.Context(), at(name), request()); err != nil {
			t.Fatal(err)
		}
		l, err := Open(t.Context(), at(name))
		if err != nil {
			t.Fatal(err)
		}
		l.reserve(t, 4, "of "+name, "")
		l.Close()
	}
	other := request()
	other.Row = "one person"
	if _, err := Create(t.Context(), at("other"), other); err != nil {
		t.Fatal(err)
	}
	for _, from := range [][]string{{at("a"), at("other")}, {at("a")}, {at("a"), at("a")}, {at("a"), at("none")}} {
		if _, err := Merge(t.Context(), at("c"), "", from...); err == nil {
			t.Errorf("%q: merged, want a refusal", from)
		}
	}
	if names, err := filepath.Glob(at("*")); err != nil || len(names) != 6 {
		t.Errorf("got files %q (%v), want the three ledgers and their witnesses alone", names, err)
	}
	if hidden, err := filepath.Glob(at(".*")); err != nil || len(hidden) != 0 {
		t.Errorf("got files %q (%v), want nothing left behind", hidden, err)
	}
	m, err := Merge(t.Context(), at("c"), "anna", at("a"), at("b"))
	if err != nil || m.Epsilon != 6 || m.Delta != 2e-5 {
		t.Fatalf("got %+v (%v), want caps of epsilon 6 at delta 2e-5", m, err)
	}
	if hidden, failed := filepath.Glob(at(".*")); failed != nil || len(hidden) != 0 {
		t.Errorf("got files %q (%v), want the merged ledger under its name alone", hidden, failed)
	}
	c, err := Open(t.Context(), at("c"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err = witness.Open(at("c")+witness.End, c.Book.Ledger(), c.WitnessKey(), ""); err != nil {
		t.Errorf("got %v, want a witness of the merged ledger", err)
	}
	if a := c.Account(); len(a.Releases) != 2 || a.Forfeited || !(a.Left > 0) {
		t.Errorf("got %+v, want both releases and something left", a)
	}
	for _, name := range []string{"a", "b"} {
		l, err := Open(t.Context(), at(name))
		if err != nil {
			t.Fatal(err)
		}
		if a := l.Account(); a.Left != 0 || !a.Forfeited {
			t.Errorf("%s has %v left, want it closed", name, a.Left)
		}
		l.Close()
	}
}

// TestRepairForfeits: a damaged ledger keeps its records and the damaged file, and has nothing left.
func TestRepairForfeits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	if _, err := Create(t.Context(), path, request()); err != nil {
		t.Fatal(err)
	}
	if _, err := Repair(t.Context(), path, ""); err == nil || !strings.Contains(err.Error(), "intact") {
		t.Errorf("got %v, want an intact ledger left alone", err)
	}
	l, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	l.reserve(t, 5, "kept", "")
	l.reserve(t, 5, "lost", "")
	l.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(text, []byte("lost"))
	text[at] = 'L'
	if err = os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(context.Background(), path); err == nil || !strings.Contains(err.Error(), "dither ledger repair") {
		t.Errorf("got %v, want damage and the remedy", err)
	}
	r, err := Repair(t.Context(), path, "anna")
	if err != nil || r.Kept != 2 || r.Lost != 1 {
		t.Fatalf("got %+v (%v), want two records kept and one lost", r, err)
	}
	if kept, failed := os.ReadFile(r.Backup); failed != nil || !bytes.Equal(kept, text) {
		t.Errorf("the damaged file (%v) is not kept as it was", failed)
	}
	again, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if a := again.Account(); a.Left != 0 || !a.Forfeited || len(a.Releases) != 1 {
		t.Errorf("got %+v, want one release and nothing left", a)
	}
	if p, err := again.Price(t.Context(), "", "gaussian(1000)"); err != nil || p.Fits {
		t.Errorf("got %+v (%v), want nothing that fits", p, err)
	}
}

// TestStanding: what was spent at a record does not depend on what came later, and a certificate with another snapshot is
// refused.
func TestStanding(t *testing.T) {
	r := request()
	r.Populations = []string{"north: patients of the northern clinics", "south: patients of the others"}
	l := inMemory(t, r)
	var want []float64
	var runs []*budget.Reservation
	for i, population := range []string{"", "north", "south", "north", ""} {
		if i == 3 { // the first run gives everything back
			if outcome, err := runs[0].Settle(t.Context(), 0, ""); err != nil || outcome != budget.Stopped {
				t.Fatal(outcome, err)
			}
		}
		runs = append(runs, l.reserve(t, 5+float64(i), "a count", population))
		want = append(want, l.Summary().Spent)
	}
	for _, run := range runs[1:] {
		if _, err := run.Settle(t.Context(), 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	terms := l.Terms()
	for i, one := range l.Summary().Releases {
		others, spent := l.Before(one.Seq)
		if others != i || spent != want[i] {
			t.Errorf("record %d: got %d others and %v spent, want %d and %v", one.Seq, others, spent, i, want[i])
		}
		same := certificate.LedgerRecord{Ledger: l.Book.Ledger(), Sequence: one.Seq, Head: one.Hash, Others: i, Spent: certificate.Epsilon(want[i]), Limit: certificate.Epsilon(terms.Epsilon), LimitDelta: terms.Delta}
		if found := l.standing(&same); len(found) != 0 {
			t.Errorf("got %q, want agreement", found)
		}
		for name, change := range map[string]func(*certificate.LedgerRecord){
			"others": func(r *certificate.LedgerRecord) { r.Others++ }, "spent": func(r *certificate.LedgerRecord) { r.Spent *= 0.999 },
			"limit": func(r *certificate.LedgerRecord) { r.Limit *= 2 }, "delta": func(r *certificate.LedgerRecord) { r.LimitDelta /= 2 },
		} {
			other := same
			if change(&other); len(l.standing(&other)) != 1 {
				t.Errorf("record %d with another %s agrees with the ledger", one.Seq, name)
			}
		}
	}
}

// TestAgainst: a certificate and the record that names it say the same, or each difference is told.
func TestAgainst(t *testing.T) {
	l := inMemory(t, request())
	hash := strings.Repeat("ab", 32)
	if _, err := l.reserve(t, 5, "a count", "").Settle(t.Context(), 1, hash); err != nil {
		t.Fatal(err)
	}
	all := l.Summary().Releases
	same := certificate.Certificate{Event: "gaussian(5)", Epsilon: 0.25, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	if found := l.against("model", hash, same, all); len(found) != 0 {
		t.Errorf("got %q, want agreement", found)
	}
	for _, c := range []struct {
		change func(*certificate.Certificate)
		want   string
	}{
		{func(c *certificate.Certificate) { c.Event = "gaussian(6)" }, "gaussian(6)"}, {func(c *certificate.Certificate) { c.Epsilon = 0.2 }, "0.2"},
		{func(c *certificate.Certificate) { c.Delta = 1e-7 }, "1e-07"}, {func(c *certificate.Certificate) { c.Neighboring = privacy.ReplaceOne }, "replace-one"},
	} {
		other := same
		c.change(&other)
		if found := l.against("model", hash, other, all); len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("got %q, want one difference with %q", found, c.want)
		}
	}
	if found := l.against("model", strings.Repeat("cd", 32), same, all); len(found) != 1 || !strings.Contains(found[0], "dither ledger import memory model") {
		t.Errorf("got %q, want an unknown certificate and the remedy", found)
	}
	found := Checked{}
	l.reserve(t, 5, "open", "")
	if found.remark(l.Summary(), map[string]bool{}, true); len(found.Remarks) != 2 || !strings.Contains(found.Remarks[0], "record 3") || !strings.Contains(found.Remarks[1], "record 1") {
		t.Errorf("got %q, want an open run and a certificate that was not given", found.Remarks)
	}
}

func TestManualTakes(t *testing.T) {
	for _, c := range []struct {
		name        string
		least, most int
	}{{"", 0, 0}, {"create", 0, 1}, {"check", 1, 9}, {"price", 2, 9}, {"import", 2, 9}, {"merge", 2, 9}, {"export", 1, 1}, {"repair", 1, 1}, {"show", 1, 1}} {
		for n := range 10 {
			if got, want := Manuals[c.name].Takes(n), n >= c.least && n <= c.most; got != want {
				t.Errorf("%q takes %d arguments: got %v, want %v", c.name, n, got, want)
			}
		}
	}
}

// TestTaken: a run that goes on needs the records that paid for its kept releases, wherever they went.
func TestTaken(t *testing.T) {
	hash, folder := strings.Repeat("ab", 32), "model, ledger abababab record 5 run 1"
	run := budget.EarlierRun{Record: budget.Anchor{Seq: 3, Where: hash}, Kept: 9}
	release := func(source, event string) budget.Release {
		e, err := mechanism.ParseEvent(event)
		if err != nil {
			t.Fatal(err)
		}
		return budget.Release{Source: source, Event: e}
	}
	for _, c := range []struct {
		source, event string
		want          bool
	}{
		{"ledger abababab record 3", "repeat(9, gaussian(5))", true},
		{"ledger cdcdcdcd record 7, ledger abababab record 3", "repeat(10, gaussian(5))", true},
		{"ledger abababab record 3, " + folder, "repeat(9, gaussian(5))", true},
		{"ledger abababab record 3", "repeat(8, gaussian(5))", false},
		{"ledger abababab record 33", "repeat(9, gaussian(5))", false},
		{"ledger cdcdcdcd record 3", "repeat(9, gaussian(5))", false},
		{"model, ledger abababab record 3", "repeat(9, gaussian(5))", false},
	} {
		if found := taken([]budget.EarlierRun{run}, []budget.Release{release("", "gaussian(1)"), release(c.source, c.event)}); (len(found) == 0) != c.want {
			t.Errorf("%s, %s: got %q, want it to pay: %v", c.source, c.event, found, c.want)
		}
	}
}

// TestFoldersAreNoMergers imports folders whose names are the words of a merger. None passes for the record of another
// ledger.
func TestFoldersAreNoMergers(t *testing.T) {
	at := certificate.LedgerRecord{Ledger: strings.Repeat("0a", 32), Sequence: 5}
	merged := "ledger 0a0a0a0a record 5"
	if !cameFrom(budget.Release{Source: merged}, at) || !cameFrom(budget.Release{Source: "ledger 01234567 record 9, " + merged}, at) {
		t.Fatal("a release of a merger is not known")
	}
	for _, folder := range []string{merged, merged + ", x", "models/" + merged + ", x", "x, " + merged, "ledger 01234567 record 9, " + merged + ", x"} {
		if source := sourceOf(folder, "0123"); cameFrom(budget.Release{Source: source}, at) {
			t.Errorf("the folder %q is taken for the record of a merger: %q", folder, source)
		}
	}
}
