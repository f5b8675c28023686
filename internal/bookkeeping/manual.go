package bookkeeping

import "strings"

// Manual contains the help texts of a command.
type Manual struct{ Use, Short, Long, Example string }

// Takes reports whether a command accepts n arguments. The usage line names the arguments. An
// argument in brackets is optional, and the last argument may be repeated if "..." follows it.
func (m Manual) Takes(n int) bool {
	least, most := 0, 0
	for _, name := range strings.Fields(m.Use)[1:] {
		switch {
		case name == "|":
			least, most = least-1, most-1 // of alternatives one counts
			continue
		case !strings.HasPrefix(name, "["):
			least++
		}
		most++
	}
	return n >= least && (n <= most || strings.Contains(m.Use, "..."))
}

// Manuals has the help of the parts of dither ledger by name. The name "" is for dither ledger
// itself.
var Manuals = map[string]Manual{
	"": {"ledger", "Keep the privacy budget of a data set", `Keep the budget that all releases from one data set have together: a file on this machine, or a table of a
PostgreSQL server for a team. A run reserves what it will cost before it reads the first record. Whatever becomes of
the run, that stays spent; only steps that were never begun are given back.

Where a command takes FILE it takes postgres://user@host/database?ledger=NAME too. The password comes from
PGPASSWORD or ~/.pgpass.`,
		`  dither ledger create hospital.ledger --data visits --epsilon 3 --delta 1e-5 --row "one visit"
  dither ledger show hospital.ledger
  dither ledger price hospital.ledger model-of-may`},
	"create": {"create [FILE]", "Make a ledger", `Make the ledger of a data set: its cap for all releases together, which never changes. --data is the name that
everyone declares for the data: the name decides what pays, not the path of a file.

--schema takes name, row and rows per person from a schema, and FILE from its line "ledger:". Flags that contradict the
schema are refused. Without --schema say the three as the schema of every run says them.

The filter decides what the ledger adds up. All of them allow plans that depend on earlier outputs.

  rdp    Rényi divergences at fixed orders, by default the order with most room for Gaussian noise. DP-SGD is charged
         what its samples cost. The usual choice.
  gdp    squared parameters of Gaussian noise, exactly. DP-SGD is charged as if every record took part in every
         step. Laplace noise has no price.
  zcdp   parameters of zero-concentrated privacy: Gaussian noise and pure plans; DP-SGD as under gdp.
  basic  sums of epsilon and of delta. Any plan fits; many plans cost more.

With --unit person:COLUMN a record of a plan is a person, and plans about rows are charged for --rows-per-person
rows. With --unit person each plan is about rows and is charged for that many. --population declares, once for each, parts
of the data that share no person: they count by the dearest one.

Next to a FILE stands FILE.witness, for its owner alone. With it each run says whether it read the same records as
runs before. It decides nothing; without it, runs say that there is none.`,
		`  dither ledger create --schema patients.yaml --epsilon 3 --delta 1e-5
  dither ledger create hospital.ledger --data visits --epsilon 3 --delta 1e-5 --row "one visit"
  dither ledger create hospital.ledger --data visits --epsilon 3 --delta 1e-5 --row "one visit" --unit person:patient --rows-per-person 12
  dither ledger create study.ledger --data study --epsilon 1 --delta 1e-6 --row "one person" --filter gdp
  dither ledger create study.ledger --data study --epsilon 1 --delta 1e-6 --row "one person" --population "north: patients of the two northern clinics" --population "south: patients of the others"
  dither ledger create "postgres://anna@db.example/ledgers?ledger=visits" --data visits --epsilon 3 --delta 1e-5 --row "one visit"`},
	"show": {"show FILE", "Show what is left of a budget", `Show the budget that is left, the terms of the ledger, and each release: its purpose, person, time, own guarantee, share
of the budget, and certificate. Times are those of the writers' clocks, in UTC; they decide nothing.

Read the percentages: what is spent is the sum of the shares. Epsilons do not add up. "proves" is the epsilon of all
releases together. --json and --csv have the epsilon that the filter charges for each release alone, too.`,
		`  dither ledger show hospital.ledger
  dither ledger show hospital.ledger --json
  dither ledger show hospital.ledger --csv > releases.csv
  dither ledger show hospital.ledger --page budget.html`},
	"check": {"check FILE [MODEL-FOLDER...]", "Check a ledger, and certificates against it", `Check that the records of a ledger follow from one another, and compute each price again from its event. Each
folder is verified, and its certificate and the record that names it must agree. A folder of model folders stands for all
of them.

Exit status 0 when everything agrees, 1 when something does not, 2 when a file is missing or is no ledger.`,
		`  dither ledger check hospital.ledger
  dither ledger check hospital.ledger models`},
	"price": {"price FILE PLAN | MODEL-FOLDER | EVENT...", "Say what a plan would cost and leave", `Show the cost of plans together, and the budget that they would leave. A plan is what dither train --dry-run --json
prints, a certificate, a model folder, or an event as dither account takes it. Nothing is reserved.

Exit status 3 when it does not fit; then it says what would.`,
		`  dither ledger price hospital.ledger plan.json
  dither ledger price hospital.ledger "repeat(1000, poisson(0.01, gaussian(1.1)))"`},
	"export": {"export FILE", "Write all records as JSON lines", `Write every record of a ledger as one line of JSON, oldest first, for an archive. Nothing in it depends on
the content of tables. Half of the key under which FILE.witness digests content stays in the ledger.`,
		`  dither ledger export hospital.ledger
  dither ledger export hospital.ledger --out hospital.jsonl`},
	"repair": {"repair FILE", "Make a damaged ledger readable, and forfeit the rest", `Keep the records of a damaged file up to the damage, and forfeit all that was left of the budget: nobody knows what
the lost records spent, and no certificate proves that nothing came after it. Nothing is ever given back. The damaged file is
kept under another name. An intact ledger is not touched.

With --forfeit REASON all that an intact ledger has left is given up: when it was restored from a copy, say, and lacks
records that certificates name.`,
		`  dither ledger repair hospital.ledger
  dither ledger repair hospital.ledger --forfeit "restored from the backup of May"`},
	"merge": {"merge FILE FILE...", "Make one ledger of several", `Make the ledger of data whose budget was kept in several ledgers. The caps add up: each promised its own, and nothing
promised less for all together. The releases of all count in the new ledger. The old ones are closed: what they had left
is in the new one. They must have been made with the same name, relation, unit, filter and populations.`,
		"  dither ledger merge clinic.ledger laboratory.ledger --out hospital.ledger"},
	"import": {"import FILE MODEL-FOLDER...", "Count releases that were made without the ledger", `Count the releases of folders that dither train, query or evaluate wrote without the ledger. Each folder is
verified first. What is imported counts whether it fits or not: it has happened. A run that is counted already is refused.`,
		`  dither ledger import hospital.ledger model-of-march
  dither ledger import hospital.ledger answers/* --who anna`},
}
