package bookkeeping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/witness"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/privacy"
)

// Request describes a new ledger, with the values of the flags.
type Request struct {
	Data           string
	Epsilon, Delta float64
	Neighboring    string
	// Unit is "row", "person" or "person:COLUMN". Row describes one row in words. Rows is the
	// maximum number of rows of one person.
	Unit, Row string
	Rows      int
	// Filter is the name of the filter, or "" for the default. Orders are the orders of the filter
	// rdp; the default filter has none.
	Filter string
	Orders []float64
	// Populations are texts of the form "NAME: WHO IS IN IT".
	Populations []string
	Who         string
	// Schema is a file that declares the name, the row and the rows per person, or "" for none.
	Schema string
}

// Terms returns the terms of the ledger.
func (r Request) Terms() (budget.Terms, error) {
	if err := r.missing(); err != nil {
		return budget.Terms{}, err
	}
	t := budget.Terms{Name: r.Data, Epsilon: r.Epsilon, Delta: r.Delta, Unit: privacy.Unit{Row: r.Row, RowsPerPerson: r.Rows}, Who: person(r.Who), Tool: artefact.Program}
	var err error
	if t.Neighboring, err = privacy.ParseNeighboring(r.Neighboring); err != nil {
		return t, err
	}
	if _, err = privacy.NewGuarantee(t.Epsilon, t.Delta, t.Neighboring, t.Unit); err != nil {
		return t, err
	}
	column, byColumn := strings.CutPrefix(r.Unit, "person:")
	t.Person, t.Column = byColumn || r.Unit == "person", ""
	switch {
	case byColumn && column == "", r.Unit != "row" && !t.Person:
		return t, fmt.Errorf("--unit is %q, want row, person, or person:COLUMN", r.Unit)
	case byColumn:
		t.Column = column
	}
	if t.Filter, err = r.filter(t.Person && !byColumn); err != nil {
		return t, err
	}
	for _, text := range r.Populations {
		name, who, found := strings.Cut(text, ":")
		if name, who = strings.TrimSpace(name), strings.TrimSpace(who); !found || name == "" || who == "" {
			return t, fmt.Errorf(`--population is %q, want a name and who is in it, such as "north: patients of the two northern clinics"`, text)
		}
		t.Populations = append(t.Populations, budget.Population{Name: name, Declaration: who})
	}
	return t, t.Check()
}

// missing names all flags at once without which there is no ledger.
func (r Request) missing() error {
	var flags, examples []string
	for _, f := range []struct {
		name, example string
		left          bool
	}{{"--data", "visits", r.Data == ""}, {"--row", `"one visit"`, r.Row == ""}, {"--epsilon", "3", r.Epsilon == 0}, {"--delta", "1e-5", r.Delta == 0 && r.Filter != budget.Basic}} {
		if f.left {
			flags, examples = append(flags, f.name), append(examples, f.name+" "+f.example)
		}
	}
	if len(flags) == 0 {
		return nil
	}
	remedy := ""
	if r.Data == "" || r.Row == "" {
		remedy = "; --schema FILE takes the declared name and row of the data from their schema"
	}
	return fmt.Errorf("missing or 0: %s, want %s%s", strings.Join(flags, ", "), strings.Join(examples, " "), remedy)
}

// filter returns the filter with its orders. Only zcdp among the usual ones prices several rows
// together.
func (r Request) filter(several bool) (budget.Filter, error) {
	f := budget.Filter{Name: r.Filter}
	if f.Name == "" {
		if f.Name = budget.RDP; several {
			f.Name = budget.ZCDP
		}
	}
	if f.Name != budget.RDP {
		if len(r.Orders) > 0 {
			return f, fmt.Errorf("--order is given with --filter %s, want it with --filter rdp alone", f.Name)
		}
		return f, nil
	}
	if several {
		return f, errors.New("--filter rdp has no price for several rows of a person together, want --unit person:COLUMN, or --filter zcdp or gdp")
	}
	if f.Orders = r.Orders; len(f.Orders) == 0 {
		f.Orders = []float64{budget.UsualOrder(r.Epsilon, r.Delta)}
	}
	for range f.Orders {
		f.Deltas = append(f.Deltas, r.Delta/float64(len(f.Orders))*(1-1e-15))
	}
	return f, nil
}

// Created is a ledger that Create made.
type Created struct {
	Account
	file     bool
	witness  string // its file, "" for none
	declared declared
}

// Create makes a ledger in a new file, or under a new name on a server. If where is "", the schema
// names the place.
func Create(ctx context.Context, where string, r Request) (Created, error) {
	d, err := r.declare(&where)
	if err != nil {
		return Created{}, err
	}
	t, err := r.Terms()
	if err != nil {
		return Created{}, err
	}
	first, err := budget.First(t)
	if err != nil {
		return Created{}, err
	}
	file := !postgres.Is(where)
	if file && display.Exists(where) {
		return Created{}, fmt.Errorf("%s exists, want a new name; nothing was changed. `dither ledger show %s` shows what a ledger has left", where, display.Quoted(where))
	}
	if err = makeStore(ctx, where, file, first); err != nil {
		return Created{}, err
	}
	l, err := Open(ctx, where)
	if err != nil {
		return Created{}, err
	}
	out := Created{l.Account(), file, "", d}
	if file && witness.Create(where+witness.End, l.Book.Ledger()) == nil { // without it, runs say that there is none
		out.witness = where + witness.End
	}
	return out, l.Close()
}

// makeStore makes the chain of a ledger.
func makeStore(ctx context.Context, where string, file bool, first []byte) error {
	if !file {
		l, err := postgres.Parse(where)
		if err != nil {
			return err
		}
		store, err := postgres.Create(ctx, l, first)
		if err != nil {
			return err
		}
		return store.Close()
	}
	store, err := chain.Create(ctx, where, first)
	switch {
	case errors.Is(err, fs.ErrExist):
		err = fmt.Errorf("%w; want a new name; nothing was changed", err)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w, want a folder that exists; make it first", err)
	}
	if err != nil {
		return err
	}
	return store.Close()
}

// Text returns the new ledger as text for a terminal.
func (c Created) Text() ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "made      %s\n", display.Printable(c.Where))
	b.WriteString(termsText(c.terms))
	fmt.Fprintf(&b, "left      %s\n", c.leftWords())
	if c.file {
		b.WriteString("file      you alone can read and write it; the one lock of all writers is on the file itself\n")
	} else {
		b.WriteString("server    writers take turns; whoever can write the table can spend\n")
	}
	if c.witness != "" {
		fmt.Fprintf(&b, "witness   %s, as secret as the records: runs say whether they read the same as before\n", display.Printable(c.witness))
	}
	b.WriteString(c.declared.text(c.Where))
	return []byte(b.String()), nil
}

// termsText returns the terms as lines.
func termsText(t budget.Terms) string {
	var b strings.Builder
	fmt.Fprintf(&b, "data      %s\n", display.Printable(t.Name))
	fmt.Fprintf(&b, "protects  %s\n", display.Printable(Protected(t)))
	fmt.Fprintf(&b, "cap       epsilon %s at delta %s, %s\n", display.Plain(t.Epsilon), display.Plain(t.Delta), relation(t))
	fmt.Fprintf(&b, "filter    %s\n", filterWords(t.Filter))
	b.WriteString(display.Indent(display.Wrapped(t.Filter.Note()), 10))
	return b.String()
}

// relation returns in words which neighbors the cap is for.
func relation(t budget.Terms) string {
	words := wording.Relation(t.Neighboring)
	if t.Person {
		words = strings.Replace(words, "one row", "one person", 1)
	}
	return words
}

// filterWords names a filter with its orders.
func filterWords(f budget.Filter) string {
	if len(f.Orders) == 0 {
		return f.Name
	}
	var orders []string
	for _, order := range f.Orders {
		orders = append(orders, display.Plain(order))
	}
	return f.Name + " at order " + strings.Join(orders, ", ")
}

// Protected returns in words the unit that the cap protects.
func Protected(t budget.Terms) string {
	switch {
	case t.Column != "":
		return fmt.Sprintf("all rows with one %s, at most %d; a row is %s", t.Column, t.Unit.RowsPerPerson, t.Unit.Row)
	case t.Person:
		return fmt.Sprintf("all rows of a person, at most %d; a row is %s", t.Unit.RowsPerPerson, t.Unit.Row)
	}
	return "one row, which is " + t.Unit.Row
}

// leftWords returns what is left in words: the part of the budget, and what one more plan may have.
func (a Account) leftWords() string {
	if a.Left == 0 {
		return "nothing"
	}
	part, epsilon := display.Rounded(100*(1-a.Share), 3, false)+" % of the budget", display.Rounded(a.Left, 4, false)
	if a.terms.Filter.Name == budget.Basic {
		return fmt.Sprintf("%s: epsilon %s and delta %s", part, epsilon, display.Rounded(a.DeltaLeft, 4, false))
	}
	return fmt.Sprintf("%s: one more plan of Gaussian noise may have epsilon %s at delta %s", part, epsilon, display.Plain(a.DeltaLeft))
}
