package scoreaudit

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/glossary"
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
	// Effort and Part are for audits of this program: how much is attacked, and what another process of an
	// audit wants computed.
	Effort        float64
	Part          string
	Replace, JSON bool
	changed       func(flag string) bool
}

// AddFlags adds the flags of the command.
func (q *Request) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&q.Scores, "scores", "", "CSV or Parquet file of scores of canaries, with the columns score and included and perhaps run; - is standard input")
	f.Float64Var(&q.Epsilon, "epsilon", 0, "claimed epsilon in nats, without an argument")
	f.Float64Var(&q.Delta, "delta", 0, "claimed "+glossary.Short("delta")+"; of an event or plan: where its epsilon is claimed")
	f.StringVar(&q.Neighboring, "neighboring", privacy.AddOrRemoveOne.String(), glossary.Short("neighboring")+"; of an event")
	f.StringVar(&q.Design, "design", "one-run", "how canaries were included: one-run, independent or runs")
	f.Float64Var(&q.Confidence, "confidence", 0.95, "probability, at least, that no correct claim is refuted")
	f.Float64Var(&q.Effort, "effort", 1, "size of an audit of this program, relative to one of about two minutes")
	f.StringVar(&q.Part, "part", "", "")
	_ = f.MarkHidden("part") // it exists
	f.StringVar(&q.Out, "out", "dither-audit", "folder for "+auditing.FileName+" and "+auditing.PageName)
	f.BoolVar(&q.Replace, "replace", false, "replace the files of --out if they exist")
	f.BoolVar(&q.JSON, "json", false, "print JSON")
	q.changed = f.Changed
}

// Check returns an error if the flags ask for what cannot be done, or name files that exist.
func (q *Request) Check(subject string) error {
	_, known := designs[q.Design]
	if err := q.checkProgram(subject); err != nil {
		return err
	}
	switch {
	case q.Scores == "" && subject != "":
		return fmt.Errorf("there is nothing to audit, want --scores FILE; see dither audit --help")
	case !known:
		return fmt.Errorf("--design is %q, want one-run, independent or runs", q.Design)
	case !(q.Confidence >= 0.5 && q.Confidence < 1):
		return fmt.Errorf("--confidence is %v, want at least 0.5 and less than 1", q.Confidence)
	case q.Out == "" && q.Replace:
		return fmt.Errorf("--replace goes with --out FOLDER")
	case q.Out == "" || !display.Exists(q.Out):
		return nil
	}
	for _, name := range []string{auditing.FileName, auditing.PageName} {
		if err := durable.CheckWhole(filepath.Join(q.Out, name), q.Replace, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// checkProgram returns an error if flags are given that an audit of this program does not have, or only it has.
func (q *Request) checkProgram(subject string) error {
	if q.Scores != "" || subject != "" {
		if q.changed("effort") {
			return fmt.Errorf("--effort is given with a claim, want it alone: it is for the audit of this program")
		}
		return nil
	}
	for _, flag := range []string{"epsilon", "delta", "neighboring", "design", "confidence"} {
		if q.changed(flag) {
			return fmt.Errorf("--%s is given without --scores, want a file of scores; an audit of this program takes no claim", flag)
		}
	}
	if !(q.Effort > 0 && q.Effort <= 1000) {
		return fmt.Errorf("--effort is %v, want more than 0 and at most 1000", q.Effort)
	}
	return nil
}

// Run returns the report of an audit, of the claim of a subject or, where it is "", of epsilon and delta. It
// changes nothing. Its errors are no failures while running. Without scores and subject it is what program
// returns, which attacks this program.
func (q *Request) Run(subject string, formats []columnar.Format, program func() (auditing.Report, error)) (auditing.Report, error) {
	start := time.Now()
	if q.Scores == "" && subject == "" {
		return program()
	}
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
	if err := os.MkdirAll(q.Out, 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w; name another folder with --out", q.Out, display.Pathless(err))
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
