package repocheck

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// layer is one row of the table: a package and the packages of this module that its
// ordinary (non-test) files may import.
type layer struct {
	pkg     string
	imports string // separated by spaces
}

// front names the root package, whose path within the module is empty, among imports.
const front = "."

// layers is the architecture. Order is import order: a row names earlier rows only. A
// build that fails here is mended in the importing package; the table changes only
// together with the design, and the reason for the new edge is written down with it.
//
// Two kinds of row go beyond the packages that a user sees. An internal package belongs to the folder above it,
// which alone may import it. The built-in data sets are for the tool and the reproductions only: whoever trains
// from Go on their own records should not carry them.
var layers = []layer{
	// What lays faults over the sources, for tests that must convict them; imported by tests only.
	{"internal/mutants", ""},
	// The tests of the repository as a whole; no code.
	{"internal/repocheck", ""},
	{"privacy", ""},
	{"internal/special", ""},
	// What divides work over goroutines.
	{"internal/parallel", ""},
	{"internal/kernel", "internal/parallel"},
	// What reads JSON that has one reading: every file that a stranger may have edited goes through it.
	{"internal/strict", ""},
	// Names and defaults of what requests ask for: shared by the packages that plan and the command that lists them.
	{"internal/option", ""},
	// What makes names, texts and errors of others fit for one line of a terminal.
	{"internal/display", ""},
	// What tells a full disk from a wrong flag: the command has an exit status for each.
	{"internal/failure", ""},
	// What puts files in their places for good: checkpoints, and the folders of the command.
	{"internal/durable", "internal/display internal/failure"},
	// The bytes of a durable ledger: appended by several processes, and never lost once they are acknowledged.
	{"internal/chain", ""},
	// What every kind of chain promises, as tests.
	{"internal/chain/chaintest", "internal/chain"},
	// A server for tests.
	{"internal/pgtest", ""},
	// The chain of a team, in a table of PostgreSQL.
	{"internal/chain/postgres", "internal/chain internal/display"},
	// What commands of one family share: completion, suggestions and help texts by theme.
	{"internal/flags", ""},
	// What a process keeps to itself when it ends, and what program it is.
	{"internal/process", "internal/kernel internal/display"},
	// What carries messages between the processes that train together: it is not trusted, and knows nothing of what it carries.
	{"internal/ranks", "internal/failure"},
	// What every transport promises, as tests, and faults to plant in what it carries.
	{"internal/ranks/rankstest", "internal/ranks"},
	{"internal/ranks/faulty", "internal/ranks"},
	// What benchmarks ask of the system; imported by tests only.
	{"internal/processor", ""},
	// Eigenvalues, factors and systems of small matrices, of what was released or is public.
	{"internal/dense", "internal/kernel internal/parallel"},
	// What a release is and costs: events, and the noise that a sum may be released with.
	{"mechanism", "privacy"},
	// How far the noise that is drawn is from the noise that is accounted: what draws promises it, and what prices adds it.
	{"internal/slack", ""},
	{"internal/release/internal/sample/internal/maketable", ""},
	{"internal/release/internal/sample", ""},
	// Post-processing of released rows. It imports nothing of this module, and so sees nothing else of it (afterRelease).
	{"internal/release/internal/estimate", ""},
	// Where the integers of records are kept, in memory and in files: what the core adds of them is checked there.
	{"internal/rows", "internal/kernel internal/parallel"},
	// What picks records in secret that are computed once more: the core does so with integers, and spot with proposals.
	{"internal/picks", ""},
	// The trusted core: it makes all bounded sums and noisy values, and pays for them as mechanism prices them.
	// That names nobody declared are released under one relation alone is part of their price: hence privacy.
	{"internal/release", "privacy internal/special internal/slack internal/kernel internal/parallel internal/rows mechanism internal/release/internal/sample internal/release/internal/estimate internal/picks"},
	// What makes steps of released sums: linear models and networks share it.
	{"internal/optimizer", "internal/kernel internal/parallel internal/release internal/option"},
	{"account/internal/pair", "internal/special"},
	{"account/internal/allocation", "account/internal/pair"},
	{"account/internal/contour", "internal/special internal/parallel account/internal/pair"},
	{"account/internal/pld", "internal/special account/internal/pair"},
	{"account", "privacy internal/special internal/parallel mechanism account/internal/allocation account/internal/pair account/internal/contour account/internal/pld"},
	// Lower bounds on ε from scores of canaries: attacks of all kinds use them, and people who train elsewhere.
	{"audit", "privacy internal/special mechanism account"},
	// What the records of a durable chain mean: filters, charges and populations, apart from the files that hold them.
	{"internal/budget", "privacy internal/display internal/strict internal/slack mechanism account internal/chain"},
	{"ledger", "privacy mechanism account internal/budget"},
	{"certificate", "privacy internal/slack mechanism account ledger internal/strict"},
	// Whether runs read the same records: data lets it see what it reads, and ledgers keep what it saw.
	{"internal/witness", "internal/strict internal/display internal/durable"},
	// Which texts are numbers, in tables, in schemas and in exported models.
	{"internal/decimal", ""},
	// What numbers dates and moments have, whatever kind of file or database they are in.
	{"internal/moment", ""},
	// What package data asks of a file that holds a table column by column.
	{"internal/columnar", ""},
	// What kinds of files hold a table: data reads them, and commands name them.
	{"internal/format", ""},
	// What package data asks of a database, and how tables and queries are named.
	{"internal/database", "internal/display internal/moment"},
	// What every database keeps to, as tests.
	{"internal/database/databasetest", "internal/database"},
	// Queries of any driver of database/sql as text: programs in Go and SQLite share it.
	{"internal/database/rows", "internal/database internal/moment"},
	// Files of SQLite: a served model, which reaches data, does not carry their driver.
	{"internal/database/sqlite", "internal/database internal/database/rows internal/display internal/failure"},
	// Files of DuckDB: the driver is there with a build tag alone.
	{"internal/database/duckdb", "internal/database internal/database/rows internal/display"},
	// The features that are made of the rows of one person in a related table.
	{"internal/related", ""},
	{"data", "internal/related internal/witness internal/kernel internal/parallel internal/columnar internal/database internal/database/rows internal/decimal internal/format internal/moment"},
	{"internal/format/arrow", "internal/columnar internal/moment"},
	// The library that reads Parquet is for those who name the format: a served model, which
	// reaches data, does not carry it.
	{"internal/format/parquet", "internal/columnar internal/format/arrow internal/moment data"},
	{"internal/format/compressed", "internal/columnar"},
	{"internal/format/readers", "internal/columnar internal/format/arrow internal/format/parquet internal/format/compressed"},
	{"data/builtin", "data"},
	{"data/builtin/internal/make", "data"},
	// The public sets of the literature, for what measures on them: reproductions and the measuring of defaults.
	{"internal/public", "data"},
	// Two rooms read weights from files that other programs for networks write: frozen encoders and models.
	{"internal/safetensors", ""},
	// What makes numbers of the values of a schema: the first part of every map of rows, and of every cached table.
	{"internal/encoder", "data"},
	{"feature", "internal/kernel internal/parallel data internal/encoder internal/safetensors internal/strict"},
	// What the certificate of a plan rests on before anything is released, and how a plan keeps within a budget: all
	// trainings and evaluations draft certificates.
	{"internal/draft", "internal/related internal/database certificate ledger data feature internal/strict"},
	// An answer has a price and a certificate of its own, as an evaluation and a training have: hence account and
	// certificate.
	// What computes the proposals of picked records once more: sums of all methods do.
	{"internal/spot", "internal/kernel internal/picks internal/release"},
	// Passes over records fill sums on all processors: training and measuring need them as questions do.
	{"internal/pass", "internal/kernel internal/parallel internal/picks internal/spot mechanism internal/release"},
	// One training of several processes: what they agree on, and what pays for their sums.
	{"internal/together", "internal/display internal/failure internal/format internal/ranks internal/release mechanism data"},
	// Ranks in one process, for tests.
	{"internal/together/togethertest", "internal/ranks internal/together"},
	// Quantiles, bounds and names that nobody declared: questions ask for them, and so does the preparation of a training.
	{"internal/pick", "mechanism internal/release data"},
	{"query", "internal/related privacy internal/special internal/pass internal/pick internal/display mechanism internal/release account ledger certificate internal/strict data internal/option"},
	// Layers are for networks what model is for linear weights: they know neither privacy, nor
	// records, nor schemas, and a served model carries them without the packages that do.
	{"network", "internal/kernel"},
	// How networks learn public records under clipping: a served model, which reaches network, does not carry it.
	{"internal/dynamics", "internal/kernel internal/dense network"},
	// A model that is served is its feature map and its weights: hence feature. A network is its layers, and
	// its weights stand in a file of their own that other programs read: hence network and safetensors. All rows
	// of a table are predicted on all processors: hence parallel.
	{"model", "internal/special internal/kernel internal/parallel network data internal/encoder internal/safetensors feature internal/strict"},
	// Tables as the command names them, built-in sets among them: no library carries it.
	// Tables of PostgreSQL as text: a served model, which reaches data, does not carry its driver.
	{"internal/database/postgres", "internal/database internal/display internal/failure"},
	{"internal/tabular", "internal/columnar internal/format/parquet internal/database internal/database/duckdb internal/database/postgres internal/database/sqlite internal/display internal/failure internal/format internal/format/readers internal/durable data data/builtin model internal/together"},
	// Rows that are kept as integers between models, and what many models predict for them: sweeps measure with it.
	{"internal/wholerows", "internal/kernel internal/parallel data feature model internal/encoder"},
	// Gradient descent as textbooks write it: tests and reproductions compare fast code with it.
	{"internal/reference", "model"},
	// Measuring a model needs no training, and the tests of training measure: hence before it.
	// A private evaluation is a plan with a price and a certificate of its own, as a training is:
	// hence account and certificate.
	{"evaluate", "internal/related privacy internal/special internal/pass internal/pick mechanism internal/release account ledger certificate data model query internal/strict internal/option"},
	{"train", "internal/related privacy internal/special internal/kernel internal/parallel internal/dense internal/pass internal/pick internal/rows mechanism internal/release account ledger certificate internal/strict data internal/encoder feature query model evaluate internal/option internal/optimizer internal/draft internal/together"},
	{"train/erm", "privacy internal/special internal/kernel internal/parallel internal/picks internal/spot internal/dense internal/pass mechanism internal/release account ledger certificate internal/strict data feature query model evaluate train internal/option internal/encoder internal/draft internal/together"},
	// Encoded tables, which hold records, in a folder of the user's own: for tables larger than memory, and costly transforms.
	{"internal/cache", "internal/witness data feature internal/format internal/release train internal/display internal/durable internal/failure"},
	// The layers of a network from words and from files, for training and for diagnoses.
	{"internal/layers", "data feature network train internal/display"},
	// The private training of networks: what package train is for linear models. It shares train's encoding,
	// optimizers and schedules, hence train; erm knows nothing of networks.
	{"train/neural", "privacy internal/special internal/kernel internal/parallel internal/picks internal/spot network internal/dynamics internal/pass internal/pick internal/related mechanism internal/release account ledger certificate data feature query model evaluate train internal/strict internal/durable internal/option internal/optimizer internal/draft internal/together"},
	{"sweep", "privacy internal/special internal/slack internal/kernel internal/parallel mechanism account ledger certificate data feature network query model evaluate train train/erm train/neural internal/strict internal/wholerows internal/option internal/together"},
	// The file of results with which a sweep goes on: whoever sweeps from Go may keep results elsewhere.
	{"internal/journal", "certificate internal/strict sweep"},
	// Pictures as numbers: what finds them need not draw them.
	{"internal/figure", ""},
	// Experiments of the literature, and what their figures are compared with; report shows them.
	{"internal/experiment", "internal/figure"},
	// What figures are drawn on: as SVG or as dots.
	{"internal/report/internal/canvas", ""},
	// Its table of attackers is a risk of package account, as explanations have it: one computation for both.
	{"internal/report", "privacy account certificate model train evaluate internal/figure internal/experiment internal/report/internal/canvas"},
	// The reproductions are many, and read data sets that come with the program: a room apart from sweeps. They write pages.
	{"internal/reproduce", "privacy internal/special internal/kernel internal/parallel internal/dense internal/pass mechanism account ledger certificate data data/builtin internal/public feature network internal/dynamics query model internal/reference evaluate train train/erm train/neural internal/figure internal/experiment internal/display internal/durable internal/report internal/option"},
	// What was released, as a folder: the command and the front door write and verify the same files.
	// Signatures of files, apart from what the files say.
	{"internal/signature", "internal/strict internal/display"},
	{"internal/artefact", "internal/database internal/budget internal/signature privacy mechanism account ledger certificate data feature network query model evaluate train train/erm train/neural sweep internal/report internal/strict internal/durable internal/display internal/failure internal/option internal/draft"},
	// What exported Go files are made of: it imports nothing, so that they do not.
	{"internal/export/predict", ""},
	// A model in formats of other programs: files state what its certificate states, and the folder is verified first.
	{"internal/export", "internal/columnar internal/decimal internal/moment certificate data feature network model internal/artefact internal/failure internal/safetensors"},
	// The terms of the field, which help texts and explanations quote.
	{"internal/glossary", ""},
	// Words about plans, certificates and answers that pages, terminals and explanations share.
	{"internal/wording", "privacy internal/display mechanism account certificate query train train/neural sweep internal/report internal/option"},
	// What courses say that an event costs.
	{"internal/textbook", "privacy internal/display mechanism account certificate"},
	// Prices as curves, which pages and explanations draw: what it draws is a figure of report.
	{"internal/curve", "privacy internal/parallel mechanism account certificate internal/figure internal/report"},
	// What audits found, as text, JSON and pages: attacks of all kinds fill its sections. Claims have curves: hence
	// internal/curve.
	{"internal/auditing", "privacy internal/special mechanism account ledger audit internal/display internal/failure internal/figure internal/report internal/curve"},
	// What reads the noise that releases of this program let out, and looks for faults in it: it releases sums of nothing.
	{"internal/attack/noise", "internal/special internal/parallel internal/auditing mechanism internal/release"},
	// What compares fast sums of this processor with slow ones.
	{"internal/attack/kernels", "internal/kernel internal/auditing mechanism internal/release"},
	// Words about what every other package plans and certifies: hence all of them. What it explains it verifies first: hence
	// internal/artefact.
	{"explain", "privacy internal/parallel internal/display internal/artefact internal/glossary internal/wording internal/textbook internal/curve mechanism account certificate internal/strict query model evaluate train train/erm train/neural sweep internal/report internal/option"},
	// How far something is, on a terminal or in a file.
	{"internal/progress", "certificate internal/failure train"},
	// What trains by a plan as it was run, on canaries, and judges what was released: every kind of training, and the
	// folders that hold plans.
	{"internal/planaudit", "internal/moment privacy mechanism account audit certificate data feature internal/artefact internal/auditing internal/dense internal/display internal/failure internal/kernel internal/option internal/parallel internal/strict ledger model network query train train/erm train/neural"},
	// What trains on canaries and judges what was released: every kind of training, question and measurement.
	{"internal/attack/canary", "account audit certificate data evaluate internal/auditing internal/option internal/parallel ledger mechanism network privacy query train train/erm train/neural"},
	// The attacks on this program together.
	{"internal/attack", "internal/attack/canary internal/attack/kernels internal/attack/noise internal/auditing internal/failure internal/kernel internal/planaudit"},
	// What dither audit is asked: audits by scores of canaries of any program, whose claim explain reads, and of plans, with
	// public tables by name.
	{"internal/scoreaudit", "privacy mechanism audit data explain internal/columnar internal/format internal/auditing internal/display internal/durable internal/failure internal/glossary internal/planaudit internal/progress internal/tabular"},
	// What meets a guarantee: the command and the front door find it in one way.
	{"internal/calibration", "privacy internal/display internal/wording mechanism account certificate"},
	// The page, table and files of a sweep: report draws them and internal/wording words them, and both know sweep; hence after them.
	{"internal/outcome", "internal/database certificate data evaluate internal/display internal/figure internal/wording model train train/neural sweep internal/option internal/report internal/draft"},
	// The tables of exact diagnoses: numbers of both ways to train, in shared words.
	{"internal/diagnosis", "internal/display internal/dynamics model train/erm train/neural internal/wording"},
	// Measures on tables by the levels of a column, their plans, and their tables on pages and terminals.
	{"internal/measures", "internal/database privacy certificate data evaluate model internal/report internal/wording internal/curve internal/artefact internal/display internal/failure internal/process internal/option internal/draft ledger internal/together"},
	// What flags may be set to and how help groups them: the table follows the packages that know the values.
	{"internal/values", "account certificate data/builtin feature internal/export internal/budget internal/calibration internal/flags internal/glossary internal/layers internal/option internal/reproduce internal/scoreaudit internal/tabular model privacy query train/erm"},
	// What dither ledger does: a run's assumptions say that its ledger paid, hence draft. It prices certificates and plans, verifies folders, and shows a ledger as a page.
	{"internal/bookkeeping", "internal/strict train/neural internal/witness certificate explain internal/artefact internal/budget internal/calibration internal/chain internal/chain/postgres internal/display internal/draft internal/failure internal/figure internal/option internal/report internal/wording ledger mechanism privacy data internal/together"},
	// Questions from price to folder, as the command asks them.
	{"internal/asking", "privacy account ledger certificate data query internal/artefact internal/process internal/together"},
	// What clipping and noise did to weights, by a descent on made rows: arithmetic on released numbers.
	{"internal/shadow", "feature internal/dense internal/kernel internal/option model train"},
	// One training of any method, from its plan to the folder of its results: the command and the front door share it.
	// It reads the plan of a certificate to write parts of its page again: hence internal/strict.
	{"internal/training", "internal/moment internal/database internal/strict internal/budget account certificate data evaluate feature internal/artefact internal/cache internal/curve internal/display internal/durable internal/encoder internal/figure internal/layers internal/measures internal/outcome internal/report internal/wording ledger mechanism model network privacy sweep train train/erm train/neural internal/option internal/draft internal/shadow internal/together internal/format"},
	// Many runs of settings in text: what they are, what they cost, and a private choice among them.
	{"internal/grid", "internal/database certificate data data/builtin internal/artefact internal/cache internal/display internal/durable internal/failure internal/figure internal/format internal/layers internal/outcome internal/parallel internal/process internal/tabular internal/training internal/wording ledger sweep train train/erm internal/option internal/journal internal/together"},
	// The front door: what most programs need, with the defaults of the command. A service spends from the ledger of its
	// team: hence the chain of a server.
	{"", "internal/database internal/signature account certificate data internal/budget internal/chain/postgres internal/artefact internal/calibration internal/draft internal/training ledger mechanism model privacy query evaluate train internal/measures internal/wording"},
	// What measures the defaults of training on public data sets is a command too.
	{"bench/accuracy", "privacy ledger data internal/public feature network model evaluate train train/erm train/neural internal/option"},
	// What measures speed at each level runs the test programs of other packages, and imports none.
	{"bench/levels", ""},
	// Short programs for readers. What they may import is what they import: no reader needs more.
	{"examples/account", "privacy mechanism account"},
	{"examples/calibrate", "privacy mechanism account"},
	{"examples/descent", "data data/builtin model train"},
	{"examples/structs", "privacy data ."},
	{"examples/loss", "privacy ledger data feature model train"},
	{"examples/sweep", "privacy data data/builtin train sweep"},
	{"cmd/dither", "internal/database internal/draft internal/attack internal/signature account certificate data data/builtin evaluate explain feature internal/artefact internal/asking internal/auditing internal/scoreaudit internal/bookkeeping internal/cache internal/calibration internal/diagnosis internal/display internal/durable internal/experiment internal/export internal/failure internal/flags internal/format internal/format/readers internal/glossary internal/grid internal/layers internal/measures internal/outcome internal/process internal/progress internal/report internal/reproduce internal/tabular internal/textbook internal/training internal/values internal/wording ledger mechanism model privacy query sweep train train/erm train/neural internal/option internal/ranks internal/together"},
}

// privacyCore lists the packages on which the privacy proof rests, and those that they
// calculate with. Ordinary files in them and beneath them use the standard library and
// golang.org/x only.
var privacyCore = []string{"privacy", "internal/special", "internal/kernel", "internal/parallel", "internal/slack", "mechanism", "internal/rows", "internal/release", "account", "ledger"}

// bannedImport is an import that no file may have, or no ordinary file.
type bannedImport struct {
	path   string
	tests  bool // whether test files may not have it either
	reason string
	tag    string // files that are compiled with this build tag alone may have it
}

var bannedImports = []bannedImport{
	{"math/rand", false, "noise and samples come from crypto/rand, and a generator that is not there cannot be used by mistake", ""},
	{"math/rand/v2", false, "noise and samples come from crypto/rand, and a generator that is not there cannot be used by mistake", ""},
	{"golang.org/x/exp/rand", false, "noise and samples come from crypto/rand, and a generator that is not there cannot be used by mistake", ""},
	{"encoding/gob", true, "a file from a stranger must not choose the types that it is decoded into", ""},
	{"C", true, "the build is pure Go without the tag mpi", "mpi"},
}

// servedModules lists what package model may reach, through whatever packages of this
// module, besides the standard library and golang.org/x: what data needs to read a schema.
var servedModules = []string{"go.yaml.in/yaml/v3"}

const howToMend = "do not change the table to fix a build: change the design together with its reason, or the import"

// checkLayers returns one problem for every package that the table lacks and every import
// that it does not allow.
//
// The rule for test files is wider: besides its own package and those beneath it, a test
// may import any package of an earlier row, since a test may well compare its subject with
// something that the subject must not know. Commands are the last rows, so nothing imports
// them, tests included.
func checkLayers(t *tree) []string {
	var problems []string
	for _, pkg := range t.packages() {
		if !slices.ContainsFunc(layers, func(l layer) bool { return l.pkg == pkg }) {
			problems = append(problems, fmt.Sprintf("layering: package %s is not in the table of layering_test.go, want a row that says what it may import; %s", pkg, howToMend))
		}
	}
	for _, s := range t.sources {
		for _, spec := range s.file.Imports {
			imported, ok := within(importPath(spec))
			if !ok || edgeAllowed(s, imported) {
				continue
			}
			problems = append(problems, fmt.Sprintf("layering: %s: %s imports %s, want %s; %s",
				t.at(spec.Pos()), display(s.pkg), display(imported), wanted(s), howToMend))
		}
	}
	return problems
}

// edgeAllowed reports whether a file may import a package of this module. Files of a
// package without a row are let through: the missing row is the problem to report.
func edgeAllowed(s source, imported string) bool {
	own := rank(s.pkg)
	if own < 0 {
		return true
	}
	if !s.test {
		return slices.Contains(strings.Fields(layers[own].imports), cmp.Or(imported, front))
	}
	if imported == s.pkg || s.pkg != "" && beneath(imported, s.pkg) {
		return true
	}
	earlier := rank(imported)
	return earlier >= 0 && earlier < own
}

// wanted says in a message what a file may import.
func wanted(s source) string {
	row := strings.Fields(layers[rank(s.pkg)].imports)
	switch {
	case s.test:
		return "in a test file its own package, those beneath it, or one of an earlier row, and never a command"
	case len(row) == 0:
		return "nothing of this module"
	}
	return "only " + strings.Join(row, ", ")
}

// rank returns the row of a package, or -1.
func rank(pkg string) int {
	return slices.IndexFunc(layers, func(l layer) bool { return l.pkg == pkg })
}

// checkThirdParty returns one problem for every banned import, and for every import of
// another module in the ordinary files of the privacy core.
func checkThirdParty(t *tree) []string {
	var problems []string
	for _, s := range t.sources {
		for _, spec := range s.file.Imports {
			imported := importPath(spec)
			for _, banned := range bannedImports {
				if imported == banned.path && (banned.tests || !s.test) && !needsTag(s.file, banned.tag) {
					problems = append(problems, fmt.Sprintf("layering: %s: %s is imported, want it nowhere%s; %s",
						t.at(spec.Pos()), imported, outsideTests(banned), banned.reason))
				}
			}
			core := slices.ContainsFunc(privacyCore, func(folder string) bool { return beneath(s.pkg, folder) })
			if core && !s.test && foreign(imported) {
				problems = append(problems, fmt.Sprintf("layering: %s: %s imports %s, want only the standard library and golang.org/x in the privacy core; write what is needed here, or use it outside the core",
					t.at(spec.Pos()), s.pkg, imported))
			}
		}
	}
	return problems
}

// needsTag reports whether a file is compiled with a build tag alone, whatever other tags there are.
func needsTag(file *ast.File, tag string) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if group.Pos() > file.Package || !constraint.IsGoBuild(comment.Text) {
				continue
			}
			expression, err := constraint.Parse(comment.Text)
			return err == nil && tag != "" && !satisfiable(expression, tag)
		}
	}
	return false
}

// satisfiable reports whether a constraint can hold without a tag.
func satisfiable(expression constraint.Expr, tag string) bool {
	switch x := expression.(type) {
	case *constraint.TagExpr:
		return x.Tag != tag
	case *constraint.AndExpr:
		return satisfiable(x.X, tag) && satisfiable(x.Y, tag)
	case *constraint.OrExpr:
		return satisfiable(x.X, tag) || satisfiable(x.Y, tag)
	}
	return true
}

func outsideTests(b bannedImport) string {
	if b.tests {
		return ""
	}
	return " outside test files"
}

// foreign reports whether an import is neither of this module, nor of the standard
// library, nor of golang.org/x.
func foreign(imported string) bool {
	_, ours := within(imported)
	return !ours && !standard(imported) && !beneath(imported, "golang.org/x")
}

// checkServed returns one problem for every foreign module, other than servedModules, that
// is reachable from the ordinary files of package model.
func checkServed(t *tree) []string {
	var problems []string
	reached := []string{"model"}
	for i := 0; i < len(reached); i++ {
		for _, s := range t.sources {
			if s.test || s.pkg != reached[i] {
				continue
			}
			for _, spec := range s.file.Imports {
				imported := importPath(spec)
				if pkg, ok := within(imported); ok && !slices.Contains(reached, pkg) {
					reached = append(reached, pkg)
				}
				served := slices.ContainsFunc(servedModules, func(module string) bool { return beneath(imported, module) })
				if foreign(imported) && !served {
					problems = append(problems, fmt.Sprintf("layering: %s: %s is reachable from package model, want only %s; whoever serves a model should not carry more",
						t.at(spec.Pos()), imported, strings.Join(servedModules, ", ")))
				}
			}
		}
	}
	return problems
}

// TestLayering holds the tree to the table and to the rules about other modules.
func TestLayering(t *testing.T) {
	source := parseRepository(t)
	for _, check := range []func(*tree) []string{checkLayers, checkThirdParty, checkServed, checkIntegerSampler} {
		for _, problem := range check(source) {
			t.Error(problem)
		}
	}
}

// TestLayersTable checks the table itself: each package once, and each import an earlier row.
func TestLayersTable(t *testing.T) {
	for i, l := range layers {
		if first := rank(l.pkg); first != i {
			t.Errorf("package %s has rows %d and %d, want one", display(l.pkg), first, i)
		}
		for _, imported := range strings.Fields(l.imports) {
			if r := rank(strings.TrimPrefix(imported, front)); r < 0 || r >= i {
				t.Errorf("row %s names %s in row %d, want an earlier row", display(l.pkg), imported, r)
			}
		}
	}
}

// TestMapNamesPackages wants Go files in the folder of every row, and of every package on the map in doc.go.
func TestMapNamesPackages(t *testing.T) {
	text, err := readRoot("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, match := range regexp.MustCompile(`(?m)^//\t([a-z/]+)  `).FindAllStringSubmatch(string(text), -1) {
		named = append(named, match[1])
	}
	if len(named) < 10 {
		t.Fatalf("the map in doc.go names %v, want more packages", named)
	}
	for _, l := range layers {
		if l.pkg != "" {
			named = append(named, l.pkg)
		}
	}
	for _, pkg := range named {
		files, _ := filepath.Glob(filepath.Join(pkg, "*.go"))
		below, _ := filepath.Glob(filepath.Join(pkg, "*", "*.go"))
		if len(files)+len(below) == 0 {
			t.Errorf("there is no package %s, want none but those that exist on the map", pkg)
		}
	}
}

// parsedRepository parses the module that these tests belong to, once for all of them.
var parsedRepository = sync.OnceValues(func() (*tree, error) { return parseTree(rootFS()) })

// parseRepository returns the module that this test belongs to. No test changes it.
func parseRepository(t *testing.T) *tree {
	t.Helper()
	source, err := parsedRepository()
	if err != nil {
		t.Fatalf("parse the module: %v", err)
	}
	if len(source.sources) == 0 {
		t.Fatal("parse the module: got no Go file, want at least this one")
	}
	return source
}
