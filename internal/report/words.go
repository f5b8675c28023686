package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/account"
)

// relation puts a neighboring relation into words.
type relation struct {
	// meaning says which two data sets are compared.
	meaning string
	// question is what an attacker wants to know.
	question string
	// accused is whom an attacker accuses falsely.
	accused string
}

var relations = map[string]relation{
	"add-or-remove-one": {
		"the records with and without any one record",
		"whether a given record was used",
		"records that were not used",
	},
	"replace-one": {
		"the records with any one record exchanged for any other",
		"which of two given records was used",
		"cases in which the other record was used",
	},
	"zero-out": {
		"the records with any one record blanked out",
		"whether a given record was used or blanked out",
		"records that were blanked out",
	},
}

// personRelations are the words where one record is all rows of a person.
var personRelations = map[string]relation{
	"add-or-remove-one": {
		"the records with and without all rows of any one person",
		"whether the rows of a given person were used",
		"persons whose rows were not used",
	},
	"replace-one": {
		"the records with all rows of any one person exchanged for the rows of any other",
		"which of two given persons had their rows used",
		"cases in which the rows of the other person were used",
	},
	"zero-out": {
		"the records with all rows of any one person blanked out",
		"whether the rows of a given person were used or blanked out",
		"persons whose rows were blanked out",
	},
}

// about says which records the page is about, and what the model is for.
func (p Page) about() []Fact {
	var out []Fact
	for _, f := range []Fact{{Name: "table", Value: p.Table}, {Name: "owner of the records", Value: p.Owner}, {Name: "purpose", Value: p.Purpose}} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// relation returns the words for the guarantee's relation, general ones when
// it has a name of its own.
func (g Guarantee) relation() relation {
	known := relations
	if g.Persons {
		known = personRelations
	}
	if r, ok := known[g.Neighboring]; ok {
		return r
	}
	return relation{
		"any two data sets that are neighbors under this relation",
		"which of two neighboring data sets was used",
		"cases in which the other data set was used",
	}
}

// Noun returns the word for a unit.
func (g Guarantee) Noun() string {
	if g.Persons {
		return "person"
	}
	return "record"
}

// private reports whether there is a guarantee at all.
func (g Guarantee) private() bool { return !math.IsInf(g.Epsilon, 1) }

// banner returns what to show loudly, "" for nothing.
func (p Page) banner() string {
	if p.Banner == "" && !p.Guarantee.private() {
		return "NOT PRIVATE: epsilon is infinite"
	}
	return p.Banner
}

// facts lists the terms of the guarantee.
func (g Guarantee) facts() []Fact {
	if !g.private() {
		return []Fact{{"ε (epsilon)", "∞", "no guarantee"}, {g.Noun(), g.Unit, "what one " + g.Noun() + " stands for"}}
	}
	facts := []Fact{
		{"ε (epsilon)", digitsUp(g.Epsilon, 4), "smaller is more private; 0 would reveal nothing"},
		{"δ (delta)", plain(g.Delta), g.deltaMeaning()},
		{"protected unit", g.Unit, "what one " + g.Noun() + " stands for"},
		{"relation", g.Neighboring, "compares " + g.relation().meaning},
	}
	if judged := g.deltaFact(); judged != (Fact{}) {
		facts = slices.Insert(facts, 2, judged)
	}
	if g.GroupRows > 1 {
		facts = append(facts, Fact{fmt.Sprintf("ε for %d rows", g.GroupRows), digitsUp(g.GroupEpsilon, 4),
			fmt.Sprintf("for %d rows together, such as those of one person, at the same δ", g.GroupRows)})
	}
	if g.Accountant != "" {
		facts = append(facts, Fact{"accountant", g.Accountant, "the method that computed ε, an upper bound"})
	}
	if g.NoisePerRecord != "" {
		facts = append(facts, Fact{"noise", strings.ReplaceAll(g.NoisePerRecord, "one record", "one "+g.Noun()), "what hides one " + g.Noun() + "'s contribution"})
	}
	return facts
}

// deltaMeaning says what delta is.
func (g Guarantee) deltaMeaning() string {
	if g.Delta == 0 {
		return "the factor e^ε leaves nothing out"
	}
	return "what the factor e^ε leaves out: the chance of any set of results grows by at most this factor, plus δ, " + chance(g.Delta)
}

// excess says what the bounds by epsilon alone leave out.
func (g Guarantee) excess() string {
	if g.Delta == 0 {
		return "This holds for every result."
	}
	return fmt.Sprintf("This is by ε alone. Results may say more, but the probability by which all of them together exceed the factor is at most δ = %s.", plain(g.Delta))
}

// deltaFact judges delta against the declared number of records. A method with this delta may publish
// each record with that probability.
func (g Guarantee) deltaFact() Fact {
	meaning := "a method with this δ may publish each " + g.Noun() + " with probability δ, and so this many on average; it should be far below 1"
	switch {
	case g.Delta == 0:
	case g.Persons && g.MaxRecords > 0:
		rows := cmp.Or(g.Records, g.MaxRecords)
		return Fact{"δ × persons", "at most " + digitsUp(g.Delta*float64(rows), 3),
			fmt.Sprintf("the number of persons is not declared, so %s rows, the most that are declared, stand for it: %s", grouped(float64(rows)), meaning)}
	case g.Records > 0:
		return Fact{"δ × records", digitsUp(g.Delta*float64(g.Records), 3), fmt.Sprintf("for the declared %s records: %s", grouped(float64(g.Records)), meaning)}
	case g.MaxRecords > 0:
		return Fact{"δ × records", "at most " + digitsUp(g.Delta*float64(g.MaxRecords), 3),
			fmt.Sprintf("the number of records is not declared, so their declared bound of %s stands for it: %s", grouped(float64(g.MaxRecords)), meaning)}
	}
	return Fact{}
}

// released is what the guarantee is about, in a word.
func (g Guarantee) released() string { return cmp.Or(g.Released, "model") }

// meaning explains the guarantee in paragraphs.
func (g Guarantee) meaning() []string {
	if !g.private() {
		return []string{
			"There is no guarantee. ε is infinite: nothing was done to hide the records, and the model may reveal any record that it was trained on.",
			"Keep this model as you keep the records themselves. It serves as a baseline to compare a private model with.",
		}
	}
	r, risk, by := g.relation(), g.risk(), "training"
	if g.Released != "" {
		by = "the " + g.Released
	}
	paragraphs := []string{
		fmt.Sprintf("The guarantee compares two worlds: %s. Whatever %s may release, its probability in one world is at most e^ε times its probability in the other, plus δ.", r.meaning, by),
		fmt.Sprintf("Whatever someone believed about %s, after seeing this %s the odds change by at most a factor e^ε = %s. Someone who thought it an even chance may come to hold it for at most %s probable. %s", r.question, g.released(), digitsUp(risk.BayesFactor, 4), percentUp(risk.PosteriorFromHalf), g.excess()),
		"This holds against anyone who has this " + g.released() + " and all that was published with it, whatever else they know (even every other record), whatever they compute, now and later.",
	}
	if right(risk) >= 0.99 {
		paragraphs = append(paragraphs, "At this ε the guarantee is weak: by itself it does not rule out an attacker who is right almost always.")
	}
	return paragraphs
}

// exactly is the small print to the sentence on odds, and to the table.
func (g Guarantee) exactly() string {
	text := "Exactly: each world's outcome has a distribution within δ of another, and between those two others no probability differs by more than the factor e^ε. In the table, the bounds on odds and on a belief are by ε alone. "
	if g.Attacker == nil {
		return text + "The others follow from ε and δ without exception."
	}
	text += "The others follow from the proven loss of privacy at every δ, which says more than one pair of ε and δ, without exception."
	if g.GroupRows > 1 {
		text += " Those for several rows follow from their ε and δ."
	}
	return text
}

// verdict says in a sentence what the guarantee means for one record. The bound on an attacker is
// that of the table of attacks.
func (g Guarantee) verdict() string {
	if !g.private() {
		return "This " + g.released() + " hides nothing: it may reveal any record."
	}
	text := fmt.Sprintf("Whoever sees this %s, and knows everything else, is right about %s in at most %s of cases, where guessing is right in 50 %%", g.released(), g.relation().question, percentUp(right(g.risk())))
	if g.GroupRows > 1 {
		text += fmt.Sprintf("; for %d rows together it is at most %s", g.GroupRows, percentUp(right(g.groupRisk())))
	}
	return text + "."
}

// limits lists what the guarantee does not promise.
func (g Guarantee) limits() []string {
	if !g.private() {
		return nil
	}
	return []string{
		"It does not promise that nothing can be learned about a person. A pattern of the whole population, once known, applies to each member, whether or not their record was used.",
		"It covers this training run. Other releases from the same records add to what can be learned, and their budgets add up.",
		"It holds for one unit, as named above. Whoever has several such units among the records is protected less, the more the less.",
		"It rests on what was declared public and on the assumptions listed on this page. A bound or a name of a level that was copied out of the records is not protected.",
		"It says nothing of whether the model is accurate or fair, and does not protect the file of records.",
	}
}

// attack is one line of the table of bounds.
type attack struct{ Name, Blind, One, Group string }

// attacks bounds what any attacker can do. Group is empty without a group.
func (g Guarantee) attacks() []attack {
	r, recognized := g.relation(), "Records"
	if g.Persons {
		recognized = "Persons"
	}
	lines := []struct {
		name, blind string
		bound       func(account.Risk) string
	}{
		{"Factor by which the odds about " + r.question + " may change, by ε alone", "1", func(r account.Risk) string { return digitsUp(r.BayesFactor, 4) }},
		{"Right answers, when a coin decides " + r.question, "50.0 %", func(r account.Risk) string { return percentUp(right(r)) }},
		{recognized + " recognized, when 1 % of the " + r.accused + " are accused falsely", "1.00 %", func(r account.Risk) string { return percentUp(r.TruePositiveAt1) }},
		{recognized + " recognized, when 0.1 % of them are", "0.10 %", func(r account.Risk) string { return percentUp(r.TruePositiveAt01) }},
		{"What a belief of 1 % may become, by ε alone", "1.00 %", func(r account.Risk) string { return percentUp(r.PosteriorFromHundredth) }},
		{"Chance to guess a secret that is one of a million", OneIn(1e-6), func(r account.Risk) string { return OneIn(r.Reconstruction) }},
	}
	var attacks []attack
	for _, l := range lines {
		a := attack{Name: l.name, Blind: l.blind, One: l.bound(g.risk())}
		if g.GroupRows > 1 {
			a.Group = l.bound(g.groupRisk())
		}
		attacks = append(attacks, a)
	}
	return attacks
}

// budgetNote explains the shares.
const budgetNote = "Each release was paid for out of one budget before its noise was drawn. All of them together give the ε above."

// barNote explains the plot of the coefficients.
const barNote = "A bar to the right raises the score, a bar to the left lowers it. A weight is no cause, and describes no single person."

// noiseNote warns of reading too much into private weights.
const noiseNote = "The weights carry the noise that protects the records, so small differences mean nothing."

// estimatesNote explains the intervals of coefficients.
const estimatesNote = "These are computed from the released sums alone, so they cost nothing more. A standard error counts that the records are a sample, with errors of equal size, and the noise that protects them. The estimates have no ridge, so they differ from the weights of the model."
