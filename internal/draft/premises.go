// Package draft says what the certificate of a plan rests on before anything is released: premises,
// assumptions, and a price within the budget that is asked for.
package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/related"
)

// Premises are the public facts that the guarantee of a model depends on. They follow from plan,
// schema and feature map. Assumptions follow from them and from the declarations in the
// certificate, and from nothing else.
type Premises struct {
	// MaxRecords is the declared bound on the number of rows. Records is their declared number, 0
	// if there is none. RowsPerPerson is the declared number of rows of a person, 0 if there is
	// none.
	MaxRecords, Records, RowsPerPerson int
	// PersonColumn, if not empty, is the column whose text names the person of a row. PersonRows is
	// the number of a person's rows that are used.
	PersonColumn string
	PersonRows   int
	// NonPrivate reports that there is no guarantee.
	NonPrivate bool
	// Learned are the columns whose bounds, bins or levels the plan pays for.
	Learned []string
	// HeldOut is the probability that a record was held out, 0 without a held-out part.
	HeldOut float64
	// Transforms are the public transforms of features with their parameters. PublicFiles are the
	// files with weights of public encoders.
	Transforms, PublicFiles []string
	// Related are the related rows of a record in words, none without related tables.
	Related []string
	// FromData are the declarations that were copied from the records.
	FromData []string
	// Selected reports that the model is the winner of a private choice.
	Selected bool
}

// Assumptions returns in plain words what the guarantee of a certificate depends on. It does not
// read the certificate's own assumptions.
func (p Premises) Assumptions(of certificate.Certificate) []string {
	out := p.declarations()
	if p.NonPrivate { // no guarantee depends on more
		out = append(out, "There is no guarantee: the model may reveal any record.")
	} else {
		out = append(out, p.guarantees()...)
	}
	for _, t := range p.Transforms {
		out = append(out, "The features were mapped by the public transform "+t+", which was chosen without looking at the records.")
	}
	for _, name := range p.PublicFiles {
		out = append(out, fmt.Sprintf("The weights in %s are public: the records had no part in them.", name))
	}
	if p.HeldOut > 0 && !p.NonPrivate {
		out = append(out, fmt.Sprintf("Each record was held out of training with probability %v, by a coin of its own that hangs on nothing else, and pays for training or for the evaluation.", p.HeldOut))
	}
	out = append(out, Declarations(of)...)
	if p.Selected {
		out = append(out, "How many runs there were, and how long they took, is told to nobody.")
	}
	return Counted(append(out, p.Tainted()...), of.Recorded)
}

// Paid notes in the draft of a certificate the record of the durable ledger that pays for the run.
func Paid(c *certificate.Certificate, r certificate.LedgerRecord) {
	c.Recorded = &r
	c.Assumptions = Counted(c.Assumptions, c.Recorded)
}

// ComeFrom declares in the draft of a certificate the table of a database that the records come from,
// with the assumption that follows. The table may be nil.
func ComeFrom(c *certificate.Certificate, table database.Table) {
	if table == nil {
		return
	}
	c.Declared = &certificate.Declared{Records: table.Name()}
	c.Assumptions = append(slices.Clip(c.Assumptions), Declarations(*c)...)
}

// Counted returns the assumptions of a run that no ledger paid for. With the record of a ledger it
// returns the assumptions of a run that the ledger paid for.
func Counted(assumptions []string, r *certificate.LedgerRecord) []string {
	if r == nil {
		return assumptions
	}
	out := slices.Clone(assumptions)
	for i, text := range out {
		out[i] = strings.Replace(text, " alone: no durable ledger paid for it, and ", " alone: a durable ledger paid for it, and ", 1)
	}
	return out
}

// declarations returns what was declared about the records.
func (p Premises) declarations() []string {
	schema, bound := "The schema (columns, bounds, levels, treatments and target) was", "; this bound was declared without looking at the records"
	if len(p.FromData) > 0 {
		schema = "Apart from what is named as copied out of the records, the schema (columns, bounds, levels, treatments and target) was"
	}
	for _, name := range p.FromData {
		if name == "max-records" {
			bound = ""
		}
	}
	learned := ""
	if len(p.Learned) > 0 {
		learned = fmt.Sprintf(" The bounds, bins or levels of %s are not declared: the plan pays for learning them.", strings.Join(p.Learned, ", "))
	}
	return []string{schema + " declared without looking at the records." + learned, fmt.Sprintf("There are at most %d rows%s.", p.MaxRecords, bound)}
}

// guarantees returns what a guarantee depends on.
func (p Premises) guarantees() []string {
	out := []string{
		"The plan (steps, noise, clipping) was chosen without looking at the records, or the looking is accounted for elsewhere.",
		"The guarantee covers this run alone: no durable ledger paid for it, and other releases from the same records add to its cost.",
		"The machine, its operator and its source of randomness are trusted; noise comes from AES-128 in counter mode under keys of the operating system, and is indistinguishable from random only to those who cannot break that cipher.",
	}
	if p.Records > 0 {
		out = append(out, fmt.Sprintf("The number of rows, declared as %d, is public.", p.Records))
	}
	if p.RowsPerPerson > 1 {
		out = append(out, fmt.Sprintf("One person has at most %d rows; epsilon for all of them together is stated beside the epsilon of one row.", p.RowsPerPerson))
	}
	if len(p.Related) > 0 {
		out = append(out, related.Assumption(p.Related))
	}
	switch {
	case p.PersonColumn != "":
		out = append(out, fmt.Sprintf("A record is a person: all rows with one text in the column %q. What they contribute is bounded together; of a person with more than %d rows the first %d are used, and rows without a text there are not used.", p.PersonColumn, p.PersonRows, p.PersonRows))
	case p.RowsPerPerson == 0:
		out = append(out, "How many rows one person has was not declared: epsilon is for one row only; --unit person:COLUMN protects all rows of a person.")
	}
	return out
}

// Declarations returns the assumptions that follow from the declarations of a certificate alone.
func Declarations(of certificate.Certificate) []string {
	declared := of.Declared
	if declared == nil {
		return nil
	}
	var out []string
	if declared.Records != "" {
		out = append(out, FromDatabase(declared.Records))
	}
	if declared.PublicTest {
		out = append(out, "The test table was declared public: its metrics are exact and it is not protected.")
	}
	if declared.Frozen != nil {
		out = append(out, frozenAssumptions(declared.Frozen, of)...)
	}
	if declared.ScoredOn != "" {
		out = append(out, "The records that models were scored on are public: "+declared.ScoredOn+".")
	}
	return out
}

// FromDatabase returns the assumption about records that come from a table or query of a database.
func FromDatabase(name string) string {
	return "The records are the rows of " + name + ". What others have in the database changes no row of a person in it."
}

// Tainted returns one sentence that names what was copied from the records, or nothing. It is the
// last of the assumptions.
func (p Premises) Tainted() []string {
	if len(p.FromData) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Copied out of the records and accepted as public: %s. The guarantee does not cover what these declarations reveal.", strings.Join(p.FromData, ", "))}
}
