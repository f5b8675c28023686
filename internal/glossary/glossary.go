// Package glossary explains the terms of the field for flags, help texts and dither explain.
package glossary

import (
	"slices"
	"strings"
)

// Term is a word of the field.
type Term struct {
	// Name is the spelling in flags and expressions. Aliases are other spellings.
	Name    string
	Aliases []string
	// Short is the text for help texts.
	Short string
	// Text is the explanation, in paragraphs.
	Text []string
	// See are related terms.
	See []string
}

// All is the only list of the words in flags and outputs with their explanations, in the order of
// dither explain.
var All = []Term{
	{"epsilon", []string{"ε", "eps", "budget", "privacy-budget"}, "privacy budget, in nats: how far one record may change what anyone can conclude",
		[]string{
			"Epsilon bounds how much the result can tell about one record. Whatever someone believed about whether a record was used, after seeing the result the odds change by at most a factor e^epsilon, apart from delta: 1.11 at epsilon 0.1, 2.72 at 1, 20.1 at 3, 2981 at 8. Smaller is more private; at 0 nothing is revealed, and infinity is no guarantee.",
			"It is a cap for the best attacker, who knows all other records and the method. The epsilons of several results about the same records add up, roughly.",
		}, []string{"delta", "guarantee", "composition", "attacker"}},
	{"delta", []string{"δ"}, "probability that the guarantee allows in addition to the factor e^epsilon",
		[]string{
			"Delta is what the factor e^epsilon leaves out: any set of results is at most e^epsilon times as probable with a record as without it, plus delta. Results that change the odds by more than this factor may be more frequent than delta: with normal noise at epsilon 1 and delta 1e-6 their probability is 2e-5. Delta should be far below one over the number of records: with a delta of one over the number of records a mechanism may publish a random record and keep its promise. 1e-6 is a common choice.",
			"At delta 0 the guarantee is called pure. Laplace noise attains it, normal noise does not.",
		}, []string{"epsilon", "guarantee"}},
	{"guarantee", []string{"differential-privacy", "dp", "privacy"}, "what epsilon, delta, the neighboring relation and the unit promise together",
		[]string{
			"A result is (epsilon, delta)-differentially private when any of its outcomes is about as probable with a record as without it: at most e^epsilon times, plus delta. It holds against everyone who sees the result, whatever else they know and however long they compute, now or later, and whatever is computed from the result is covered too.",
			"It is not a promise that nothing can be learned about a person: a pattern of the whole population, once known, applies to each member, whether or not their record was used.",
		}, []string{"epsilon", "delta", "neighboring", "unit", "post-processing"}},
	{"neighboring", []string{"relation", "add-or-remove-one", "replace-one", "zero-out", "adjacency"}, "neighboring relation: add-or-remove-one, replace-one or zero-out",
		[]string{
			"The neighboring relation says which two tables the guarantee compares. add-or-remove-one: with and without one record; the number of records is then private. replace-one: one record exchanged for any other; the number of records is public, and a sum moves twice as far. zero-out: one record blanked out, its place and the number of records being public.",
			"Epsilons under different relations are not comparable and do not add up.",
		}, []string{"guarantee", "unit", "sensitivity"}},
	{"unit", []string{"privacy-unit", "record", "row", "person", "group"}, "what one record is: a row, or all rows of a person",
		[]string{
			"The unit is what the guarantee protects as one: a row, or with --unit person:COLUMN all rows of a person. Where the unit is a row and a person has k rows, the person is protected less: the certificate states the epsilon of all k rows together, which is k times that of one row or more.",
		}, []string{"neighboring", "guarantee"}},
	{"clipping-norm", []string{"clipping", "clip", "gradient-clipping"}, "largest L2 norm of one record's contribution; what is longer is scaled down",
		[]string{
			"Clipping bounds what one record can contribute: a gradient that is longer than the clipping norm is scaled down to it, in its direction. This is what makes the sensitivity of a sum known in advance, whatever the records are. Dither verifies the bound of every contribution in integers.",
			"A small norm needs little noise but cuts many gradients, which biases the sum; a large one the reverse. It must not be chosen by looking at the records for free.",
		}, []string{"sensitivity", "noise-multiplier"}},
	{"sensitivity", []string{"l2-sensitivity"}, "by how much one record can move a number or a vector that is to be released",
		[]string{
			"The sensitivity of a quantity is the most that it can move between neighboring tables. Noise hides one record when it is large beside the sensitivity. The sum of clipped gradients has the clipping norm for its sensitivity, twice that under replace-one. A mean has that over the number of records, which under add-or-remove-one is itself private.",
		}, []string{"clipping-norm", "noise-multiplier", "neighboring"}},
	{"noise-multiplier", []string{"noise", "sigma", "σ"}, "standard deviation of the noise of one step over the clipping norm",
		[]string{
			"The noise multiplier is the standard deviation of the noise on a sum, divided by the most that one record can contribute (the clipping norm), under every neighboring relation. Privacy depends on this ratio, on sampling and on the number of releases, and on no other number. dither calibrate finds the one that meets an epsilon.",
		}, []string{"clipping-norm", "sampling-probability", "steps", "calibration"}},
	{"sampling-probability", []string{"sampling", "poisson", "q", "batch-size", "minibatch", "subsampling"}, "probability with which a record takes part in a step (1: full batch)",
		[]string{
			"With a sampling probability q each step takes each record with probability q, by a coin of its own (a Poisson sample); the expected batch is q times the number of records. Nobody knows who was in a sample, so one step reveals less: for small q about q times as much. The noise of a step is added to a smaller sum, though, so at one budget full batches leave the least noise, and sampling saves time.",
		}, []string{"noise-multiplier", "steps", "event"}},
	{"steps", []string{"iterations", "epochs"}, "number of noisy gradient steps",
		[]string{
			"Every step of training looks at the records and is released with noise, so every step costs. At a fixed noise multiplier the cost of full-batch steps grows about like the root of their number; at a fixed budget more steps mean more noise in each.",
		}, []string{"composition", "noise-multiplier"}},
	{"composition", []string{"adds-up", "budget-split"}, "how the costs of several releases from the same records add up",
		[]string{
			"Releases from the same records add up. Simply adding epsilons and deltas is always right and usually far too much: noise is independent, so losses of privacy partly cancel. Accountants compute how much less the whole costs. Releases from disjoint parts of the records do not add up: the dearest one counts.",
		}, []string{"accountant", "event", "ledger"}},
	{"accountant", []string{"accounting", "pld", "rdp", "zcdp", "gdp"}, "what proves the epsilon of an event",
		[]string{
			"An accountant computes from an event, and from nothing else, an upper bound on epsilon at a delta. gdp is exact for normal noise on all records; pld follows the whole law of the privacy loss, for sampled steps too; rdp and zcdp bound its moments; basic and advanced are the composition theorems of textbooks. All are valid, so the least may be claimed.",
		}, []string{"event", "composition", "epsilon"}},
	{"event", []string{"plan"}, "expression that states what is released and from which the cost follows",
		[]string{
			"An event says what is released, as much of it as the cost depends on: repeat(1000, poisson(0.01, gaussian(1.1))) is a thousand sums, each over a fresh sample that takes each record with probability 0.01, each with normal noise of 1.1 times the bound of one record. dither explain EVENT puts one into words, docs/account.md lists all kinds.",
		}, []string{"accountant", "noise-multiplier", "sampling-probability"}},
	{"calibration", []string{"calibrate"}, "finding the noise, steps or sampling that meet a guarantee",
		[]string{
			"Calibration turns the accountant round: given epsilon and delta, it finds the least noise, the most steps or the largest samples whose cost stays within them. It ends on the private side. It reads no record.",
		}, []string{"noise-multiplier", "epsilon", "accountant"}},
	{"ledger", []string{"filter", "spent"}, "the budget of a data set and the record of what was spent",
		[]string{
			"A ledger holds the limit of a data set and reserves the cost of a plan before anything is drawn; a plan that would pass the limit is refused, and nothing is given back. Where later plans are chosen by looking at earlier results, it adds up by rules that stay valid for that.",
			"dither ledger keeps one for all runs about a data set, in a file or on a server; docs/ledger.md plays a year of it through.",
		}, []string{"composition", "event"}},
	{"certificate", []string{"verify", "certificate.json"}, "the file that states a guarantee and what it follows from",
		[]string{
			"certificate.json states epsilon, delta, the relation and the unit of one release, the plan and the event from which they follow, the hash of the model, and what was assumed. It holds public numbers only. dither verify recomputes it, dither explain puts it into words. No file can show that the program really ran as the plan says, or that what was declared public is.",
		}, []string{"event", "guarantee", "schema"}},
	{"schema", []string{"public", "declared"}, "what is declared public about a table: columns, bounds, levels, treatments of bad cells",
		[]string{
			"A schema says what anyone may know about a table: its columns, their bounds or levels, the target, what becomes of a bad cell, and an upper bound on the number of records. It is public, so nothing in it may be copied out of the records; what nobody can declare can be learned within the budget (bounds: private, levels: private).",
		}, []string{"certificate", "guarantee"}},
	{"post-processing", []string{"postprocessing"}, "whatever is computed from a private result alone, at no further cost",
		[]string{
			"Whatever is computed from a private result, without looking at the records again, is as private as the result: predictions, averages of released weights, plots, rounding. That is why a model can be used any number of times. A metric that is computed on the records themselves is not post-processing.",
		}, []string{"guarantee", "holdout"}},
	{"holdout", []string{"evaluation", "private-evaluation"}, "records that are not trained on and measure the model",
		[]string{
			"A metric on private records reveals something about them and must be paid for. --holdout private:SHARE puts records aside at random and measures on them with noise; a record then pays for training or for measuring, so the whole costs no more. Metrics on a table that is declared public are exact, and that table is not protected.",
		}, []string{"post-processing", "composition"}},
	{"attacker", []string{"adversary", "membership-inference", "attack"}, "who tries to find out from a result whether a record was used",
		[]string{
			"The attacker of the definition knows every other record, the method and all its numbers but the noise, and computes without limit. The guarantee bounds how well even this attacker does: how often the guess is right, and how many of those present can be named at a given rate of false accusations. Real attackers do worse.",
		}, []string{"epsilon", "guarantee"}},
}

// Short returns a term's text for help texts. It panics on an unknown name: the program names
// terms, not its users.
func Short(name string) string {
	t, ok := Find(name)
	if !ok {
		panic("the glossary has no " + name)
	}
	return t.Short
}

// Find returns the term with a name or another spelling, and whether there is one.
func Find(name string) (Term, bool) {
	name = strings.Join(strings.Fields(strings.ToLower(strings.TrimLeft(name, "-"))), "-")
	i := slices.IndexFunc(All, func(t Term) bool { return t.Name == name || slices.Contains(t.Aliases, name) })
	if i < 0 {
		return Term{}, false
	}
	return All[i], true
}

// Names returns the names of the terms with their short texts, after a tab.
func Names() []string {
	names := make([]string, len(All))
	for i, t := range All {
		names[i] = t.Name + "\t" + t.Short
	}
	return names
}
