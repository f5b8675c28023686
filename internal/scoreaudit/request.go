package scoreaudit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/spf13/pflag"
)

// designs are the designs of an audit by name.
var designs = map[string]audit.Design{
	"one-run":     {Coins: true},
	"independent": {Coins: true, Independent: true},
	"runs":        {Independent: true},
}

// Designs lists the names of the designs.
func Designs() []string { return []string{"one-run", "independent", "runs"} }

// Request is what dither audit is asked.
type Request struct {
	Scores, Neighboring, Design string
	Epsilon, Delta, Confidence  float64
	Out                         string
	// Effort is for audits of plans and of this program: how much is attacked. Part is what another
	// process of an audit of this program wants computed.
	Effort float64
	Part   string
	// Public, Labels, Runs and Canaries are for audits of plans. Data is refused.
	Public, Labels, Data string
	Runs, Canaries       int
	Replace, JSON        bool
	changed              func(flag string) bool
}

// AddFlags adds the flags of the command.
func (q *Request) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&q.Scores, "scores", "", "CSV or Parquet file of scores of canaries, with the columns score and included and perhaps run; - is standard input")
	f.Float64Var(&q.Epsilon, "epsilon", 0, "claimed epsilon in nats, without an argument")
	f.Float64Var(&q.Delta, "delta", 0, "claimed "+glossary.Short("delta")+"; of an event or plan: where its epsilon is claimed")
	f.StringVar(&q.Neighboring, "neighboring", privacy.AddOrRemoveOne.String(), glossary.Short("neighboring")+"; of an event")
	f.StringVar(&q.Design, "design", "one-run", "how canaries were included: one-run, independent or runs")
	f.Float64Var(&q.Confidence, "confidence", 0, "probability, at least, that no correct claim is refuted (default 0.95 with --scores, 0.999999 without)")
	f.Float64Var(&q.Effort, "effort", 1, "size of an audit of a plan or of this program, relative to one of about two minutes")
	f.StringVar(&q.Public, "public", "", "table of PUBLIC records among which the final model's canaries are; nothing protects them in an audit")
	f.StringVar(&q.Labels, "labels", "", "NPY or IDX file with the target of --public, when that is one without it")
	f.IntVar(&q.Runs, "runs", 0, "trainings that each attack on a plan counts (default: as --effort allows)")
	f.IntVar(&q.Canaries, "canaries", 0, "canaries in each training by a plan (default: as --effort allows)")
	f.StringVar(&q.Data, "data", "", "")
	_ = f.MarkHidden("data") // it exists
	f.StringVar(&q.Part, "part", "", "")
	_ = f.MarkHidden("part") // it exists
	f.StringVar(&q.Out, "out", "dither-audit", "folder for "+auditing.FileName+" and "+auditing.PageName)
	f.BoolVar(&q.Replace, "replace", false, "replace the files of --out if they exist")
	f.BoolVar(&q.JSON, "json", false, "print JSON")
	q.changed = f.Changed
}

// kind is what is audited.
type kind int

const (
	programKind kind = iota
	planKind
	scoresKind
)

// kindOf returns what is audited.
func (q *Request) kindOf(subject string) kind {
	switch {
	case q.Scores != "":
		return scoresKind
	case subject != "":
		return planKind
	}
	return programKind
}

// flagsOf are the flags of each kind of audit that another kind does not have.
var flagsOf = map[kind][]string{
	programKind: {"effort"},
	planKind:    {"effort", "delta", "neighboring", "confidence", "public", "labels", "runs", "canaries"},
	scoresKind:  {"epsilon", "delta", "neighboring", "design", "confidence"},
}

// insteadOf says what a kind of audit has instead of a flag that it does not have.
var insteadOf = map[kind]string{
	programKind: "an audit of this program takes no claim; give a file of --scores, or a plan as argument",
	planKind:    "an audit of a plan has the claim of its certificate and fixes its canaries itself",
	scoresKind:  "an audit of scores trains nothing",
}

// Subject returns the argument of the command, "" for none. An empty argument is an error: it is not
// a wish to audit this program.
func Subject(args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	if args[0] == "" {
		return "", errors.New("the argument is empty, want a model folder, a plan or an event; leave it out to audit this program")
	}
	return args[0], nil
}

// Check returns an error if the flags ask for what cannot be done, or name files that exist.
func (q *Request) Check(subject string) error {
	k := q.kindOf(subject)
	if q.Data != "" {
		return errPrivate
	}
	for _, flag := range []string{"effort", "epsilon", "delta", "neighboring", "design", "confidence", "public", "labels", "runs", "canaries"} {
		if q.changed(flag) && !slices.Contains(flagsOf[k], flag) {
			return fmt.Errorf("--%s is given for another kind of audit, want it left out: %s", flag, insteadOf[k])
		}
	}
	if err := q.checkNumbers(); err != nil {
		return err
	}
	if !q.changed("confidence") {
		q.Confidence = map[kind]float64{planKind: planConfidence, scoresKind: 0.95}[k]
	}
	return q.checkFiles()
}

// planConfidence is the confidence of an audit of a plan whose exit status may stop a build.
const planConfidence = 1 - 1e-6

// errPrivate refuses canaries among private rows.
var errPrivate = errors.New("--data is given, want no private rows: canaries among them are a training that the ledger must pay for, and an audit trains on made-up or public records only; train with dither train --ledger on rows with canaries of your own, and audit their --scores")

// checkNumbers returns an error for numbers that make no sense.
func (q *Request) checkNumbers() error {
	_, known := designs[q.Design]
	switch {
	case !known:
		return fmt.Errorf("--design is %q, want one-run, independent or runs", q.Design)
	case q.changed("confidence") && !(q.Confidence >= 0.5 && q.Confidence < 1):
		return fmt.Errorf("--confidence is %v, want at least 0.5 and less than 1", q.Confidence)
	case !(q.Effort > 0 && q.Effort <= 1000):
		return fmt.Errorf("--effort is %v, want more than 0 and at most 1000", q.Effort)
	case q.changed("runs") && (q.Runs < 1 || q.Runs > mostRows):
		return fmt.Errorf("--runs is %d, want 1 to %d; leave it out for as many as --effort allows", q.Runs, mostRows)
	case q.changed("canaries") && (q.Canaries < 1 || q.Canaries > mostRows):
		return fmt.Errorf("--canaries is %d, want 1 to %d; leave it out for as many as --effort allows", q.Canaries, mostRows)
	case q.Labels != "" && q.Public == "":
		return fmt.Errorf("--labels goes with --public TABLE")
	case q.Out == "" && q.Replace:
		return fmt.Errorf("--replace goes with --out FOLDER")
	}
	return nil
}

// checkFiles returns an error for files of --out that exist or cannot be made, before an audit takes
// minutes. It leaves nothing.
func (q *Request) checkFiles() error {
	if q.Out == "" {
		return nil
	}
	unmake, err := q.makeFolder()
	defer unmake()
	if err != nil {
		return err
	}
	for _, name := range []string{auditing.FileName, auditing.PageName} {
		if err := durable.CheckWhole(filepath.Join(q.Out, name), q.Replace, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder makes the folder of --out. It returns a function that removes each folder that was made
// and is empty.
func (q *Request) makeFolder() (unmake func(), err error) {
	var made []string // the deepest first
	for folder := filepath.Clean(q.Out); !display.Exists(folder) && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		made = append(made, folder)
	}
	unmake = func() {
		for _, folder := range made {
			_ = os.Remove(folder) // one with files stays
		}
	}
	if err = os.MkdirAll(q.Out, 0o755); err != nil {
		err = fmt.Errorf("%s cannot be made: %w; name another folder with --out", q.Out, display.Pathless(err))
	}
	return unmake, err
}

// errStopped is the error of an audit that a person stops.
var errStopped = failure.Running(errors.New("stopped before the end; an audit that has not ended says nothing, and no file was written"))

// Run returns the report of an audit: of scores, of a plan, or without both of this program, which
// is what program returns. It changes nothing, and returns as soon as ctx ends. Messages get notices
// and progress.
func (q *Request) Run(ctx context.Context, messages io.Writer, subject string, formats []columnar.Format, program func() (auditing.Report, error)) (auditing.Report, error) {
	return progress.Unless(ctx, errStopped, func() (auditing.Report, error) {
		switch q.kindOf(subject) {
		case scoresKind:
			return progress.Await(ctx, messages, "auditing", func() (auditing.Report, error) { return q.ofScores(subject, formats) })
		case planKind:
			return q.ofPlan(ctx, messages, subject, formats)
		}
		return program()
	})
}

// ofScores returns the report of an audit of scores, by the claim of a subject or, where it is "",
// by epsilon and delta.
func (q *Request) ofScores(subject string, formats []columnar.Format) (auditing.Report, error) {
	start := time.Now()
	claim, err := q.claim(subject)
	if err != nil {
		return auditing.Report{}, err
	}
	t, err := read(q.Scores, formats)
	if err == nil {
		err = q.checkRuns(t)
	}
	if err != nil {
		return auditing.Report{}, err
	}
	section, err := auditing.Attack{Group: "scores", Name: filepath.Base(t.file), Design: designs[q.Design], Confidence: q.Confidence}.OfScores(claim, t.scores)
	if err != nil {
		return auditing.Report{}, fmt.Errorf("%s: %w", t.file, err)
	}
	section.Facts = append(section.Facts, t.designFact(q.Design))
	section.Seconds = time.Since(start).Seconds()
	r := auditing.NewReport("scores of "+filepath.Base(t.file), time.Since(start), section)
	r.Split = "Kinds of bounds that count share it: thresholds take three parts, every other kind one. Each kind shares its part among the attacks that it tries. All was fixed before the scores were read."
	return r, nil
}

// claim returns the claim of a subject, or of epsilon and delta.
func (q *Request) claim(subject string) (auditing.Claim, error) {
	switch {
	case subject == "" && !q.changed("epsilon"):
		return auditing.Claim{}, fmt.Errorf("no claim is given, want --epsilon and --delta, or an event, plan or certificate as argument")
	case subject != "" && q.changed("epsilon"):
		return auditing.Claim{}, fmt.Errorf("--epsilon is given with an event or plan, want one claim; its epsilon follows from --delta")
	case subject == "" && q.changed("neighboring"):
		return auditing.Claim{}, fmt.Errorf("--neighboring is given without an event, want one; scores do not depend on it")
	case !(q.Delta >= 0 && q.Delta < 1):
		return auditing.Claim{}, fmt.Errorf("--delta is %v, want at least 0 and less than 1", q.Delta)
	case subject == "" && !(q.Epsilon >= 0 && !math.IsInf(q.Epsilon, 1)):
		return auditing.Claim{}, fmt.Errorf("--epsilon is %v, want a finite number of at least 0", q.Epsilon)
	case subject == "":
		return auditing.StatementClaim(q.Epsilon, q.Delta), nil
	}
	stated, err := explain.Read(subject)
	if err != nil {
		return auditing.Claim{}, err
	}
	n, delta := stated.Neighboring, stated.Delta
	if n == 0 || q.changed("neighboring") {
		if n, err = privacy.ParseNeighboring(q.Neighboring); err != nil {
			return auditing.Claim{}, err
		}
	}
	if stated.Neighboring == 0 || q.changed("delta") {
		delta = q.Delta
	}
	if err = mechanism.CheckNeighboring(stated.Event, n); err != nil {
		return auditing.Claim{}, err
	}
	return auditing.EventClaim(stated.Event, n, delta)
}

// checkRuns refuses several canaries of one run where each wants its own.
func (q *Request) checkRuns(t *table) error {
	if q.Design != "runs" {
		return nil
	}
	for _, canaries := range t.runs {
		if canaries > 1 {
			return fmt.Errorf("%s: a run has %d canaries, want one in each for --design runs; --design independent or one-run allows more", t.file, canaries)
		}
	}
	return nil
}

// designFact is the design in words.
func (t *table) designFact(design string) auditing.Fact {
	words := map[string]string{
		"one-run":     "one-run: a fair coin of its own decided about each canary, and scores may depend on each other",
		"independent": "independent: a fair coin of its own decided about each canary, and scores are independent",
		"runs":        "runs: each canary has a run of its own",
	}[design]
	if t.runs != nil {
		words += fmt.Sprintf("; the file names %s", display.Count(len(t.runs), "run"))
	}
	return auditing.Fact{Name: "design", Value: words + " (as stated)"}
}

// files are the files of an audit with what writes them.
func (q *Request) files(r auditing.Report) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		auditing.FileName: func(w io.Writer) error {
			text, err := display.JSON(r)
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		},
		auditing.PageName: r.WritePage,
	}
}

// Write writes the files of --out, in a folder that it makes.
func (q *Request) Write(r auditing.Report) error {
	if q.Out == "" {
		return nil
	}
	if _, err := q.makeFolder(); err != nil {
		return err
	}
	for name, fill := range q.files(r) {
		err := durable.WriteWhole(filepath.Join(q.Out, name), q.Replace, 0o644, func(w io.Writer) error {
			if err := fill(w); err != nil {
				return failure.Running(err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
