package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/sweep"
	"golang.org/x/term"
)

// sweepDocument is summary.json, and what dither sweep prints as JSON.
type sweepDocument struct {
	Folder   string            `json:"folder,omitempty"`
	Notice   string            `json:"notice"`
	Fixed    []sweep.Setting   `json:"fixed"`
	Varied   []sweep.Parameter `json:"varied"`
	Repeats  int               `json:"repeats"`
	Measured string            `json:"measured-on,omitempty"`
	Cost     sweepCost         `json:"cost"`
	Seconds  float64           `json:"estimated-seconds,omitempty"`
	// Public says that neither the table nor what models were measured on is anybody's secret; then Table, Records,
	// Target and Command tell what they are.
	Public    bool         `json:"public"`
	Table     string       `json:"table,omitempty"`
	Records   int          `json:"records,omitempty"`
	Target    *sweepTarget `json:"target,omitempty"`
	Command   string       `json:"command,omitempty"`
	Marked    *sweepMark   `json:"marked,omitempty"`
	Summaries []sweepRow   `json:"configurations"`
}

// sweepTarget is what the models of a sweep predict: one of some levels, or without any a number.
type sweepTarget struct {
	Column string `json:"column"`
	Levels int    `json:"levels,omitempty"`
}

// sweepMark is the configuration that figures point out.
type sweepMark struct {
	Settings []sweep.Setting `json:"settings"`
	Why      string          `json:"why"`
}

// sweepCost is what all runs cost together.
type sweepCost struct {
	Epsilon     certificate.Epsilon `json:"epsilon"`
	Delta       float64             `json:"delta"`
	Neighboring string              `json:"neighboring"`
	Unit        string              `json:"unit"`
	Accountant  string              `json:"accountant"`
	Runs        int                 `json:"runs"`
}

// sweepRow is one configuration, with a metric once there is one.
type sweepRow struct {
	Settings          []sweep.Setting     `json:"settings"`
	Private           bool                `json:"private"`
	Method            string              `json:"method"`
	Epsilon           certificate.Epsilon `json:"epsilon"`
	Delta             float64             `json:"delta"`
	Metric            string              `json:"metric,omitempty"`
	Repeats           int                 `json:"repeats,omitempty"`
	Diverged          int                 `json:"diverged,omitempty"`
	Mean              evaluate.Measure    `json:"mean"`
	StandardDeviation evaluate.Measure    `json:"standard-deviation"`
	Low               evaluate.Measure    `json:"low"`
	High              evaluate.Measure    `json:"high"`
}

func rowOf(c *sweep.Candidate) sweepRow {
	u := evaluate.Undefined()
	return sweepRow{Settings: append([]sweep.Setting{}, c.Settings...), Private: c.Certificate.Private, Method: c.Certificate.Method, Epsilon: c.Certificate.Epsilon, Delta: c.Certificate.Delta, Mean: u, StandardDeviation: u, Low: u, High: u}
}

// document is the sweep as JSON.
func (s *sweepCommand) document(p *sweepPlan, summaries []sweep.Summary) sweepDocument {
	c := p.cost
	d := sweepDocument{Notice: p.notice(), Fixed: shown(p.fixed), Varied: append([]sweep.Parameter{}, p.varied...), Repeats: s.repeats, Measured: p.measuredName(),
		Cost: sweepCost{certificate.Epsilon(c.Epsilon), c.Delta, c.Neighboring.String(), c.Unit, c.Accountant, c.Runs}, Summaries: []sweepRow{}}
	if !p.secret() {
		d.Folder = s.out
	}
	if m := p.marked; m.Candidate != nil && (s.mark != "" || !s.dryRun) {
		d.Marked = &sweepMark{append([]sweep.Setting{}, m.Candidate.Settings...), m.Why}
	}
	if d.Public = p.public() && !p.secret(); d.Public {
		d.Table = baseName(p.source.name)
		if !s.dryRun {
			d.Command = s.command()
		}
		d.Target = &sweepTarget{p.source.schema.Target.Column, len(p.source.schema.Target.Levels)}
		if p.parts.training != nil {
			d.Records = p.parts.training.Records()
		}
	}
	for _, each := range summaries {
		row := rowOf(each.Candidate)
		row.Metric, row.Repeats, row.Diverged = each.Metric, each.Repeats, each.Diverged
		row.Mean, row.StandardDeviation, row.Low, row.High = evaluate.Measure(each.Mean), evaluate.Measure(each.StandardDeviation), evaluate.Measure(each.Low), evaluate.Measure(each.High)
		d.Summaries = append(d.Summaries, row)
	}
	return d
}

// notice says what the numbers are for the people whose records they are of.
func (p *sweepPlan) notice() string {
	c := p.cost
	all := fmt.Sprintf("epsilon %s at delta %g for %s (%s; accountant %s)", epsilonText(c.Epsilon), c.Delta, strings.ReplaceAll(relationWords(c.Neighboring), "row", "record"), c.Unit, c.Accountant)
	if math.IsInf(c.Epsilon, 1) {
		all += ": more than delta lets anyone prove, since the slack of rounded noise grows with e^epsilon"
	}
	switch {
	case c.Runs == 0 && p.public():
		return "Public data set; no run has a guarantee."
	case c.Runs == 1 && p.public():
		return "Public data set; the run would guarantee " + all + " if the records were private."
	case p.public():
		return fmt.Sprintf("Public data set; the epsilon of each run is what it would guarantee if the records were private. All %d private runs together would cost %s.", c.Runs, all)
	case c.Runs == 0 || p.hasBaseline():
		return fmt.Sprintf("NOT PRIVATE: runs without privacy on a table that is not declared public are among these; the %d private ones together cost %s.", c.Runs, all)
	}
	return fmt.Sprintf("Private table: all %d runs, which are releases, together cost %s. A setting that was chosen by them costs that much, not its own epsilon.", c.Runs, all)
}

func (p *sweepPlan) hasBaseline() bool {
	for i := range p.candidates {
		if !p.candidates[i].Certificate.Private {
			return true
		}
	}
	return false
}

// print prints the table of a finished sweep.
func (s *sweepCommand) print(p *sweepPlan, summaries []sweep.Summary) error {
	if s.json {
		return writeJSON(s.stdout, s.document(p, summaries))
	}
	w := s.stdout
	if p.secret() {
		fmt.Fprintf(w, "%s\n\n", notPrivateBanner)
	}
	if err := writeColumns(w, s.table(p, summaries)); err != nil {
		return failed{err}
	}
	text := sparkText(sweep.Figures(p.varied, summaries, "", sweep.Marked{})) + fmt.Sprintf("\nmeasured on %s; mean over %s with Student's interval of 95 %%\n%s", oneLine(p.measuredName()), count(s.repeats, "run"), wrapped(p.notice()))
	for _, words := range divergedWords(summaries) {
		text += "\n" + wrapped(printable(words))
	}
	if words := markedWords(p.marked); words != "" {
		text += "\n" + wrapped("marked: "+printable(words)+".")
	}
	if !p.secret() {
		text += fmt.Sprintf("\nread       %s/%s\nresults    %s/%s, %s, %s\n", s.out, sweepPage, s.out, sweepResults, sweepSummary, sweepJSON)
	}
	return writeAll(w, []byte(text))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// table has a row for each configuration and a column for each metric.
func (s *sweepCommand) table(p *sweepPlan, summaries []sweep.Summary) [][]string {
	metrics := sweep.Metrics(p.source.schema.Target)
	head := []string{}
	for _, v := range p.varied {
		head = append(head, strings.ReplaceAll(v.Name, "-", " "))
	}
	priced := !p.varies("epsilon")
	if priced {
		head = append(head, "epsilon")
	}
	rows := [][]string{append(head, metrics...)}
	for i := 0; i < len(summaries); i += len(metrics) {
		c := summaries[i].Candidate
		row := []string{}
		for _, v := range p.varied {
			cell := c.Value(v.Name)
			if cell == "" {
				cell = "not private"
			}
			row = append(row, cell)
		}
		if priced {
			row = append(row, epsilonText(float64(c.Certificate.Epsilon)))
		}
		for _, m := range summaries[i : i+len(metrics)] {
			row = append(row, meanText(m))
		}
		rows = append(rows, row)
	}
	return rows
}

func (p *sweepPlan) varies(name string) bool {
	for _, v := range p.varied {
		if v.Name == name {
			return true
		}
	}
	return false
}

// divergedWords say which configurations have runs that diverged, a sentence each.
func divergedWords(summaries []sweep.Summary) []string {
	var out []string
	var before *sweep.Candidate
	for _, s := range summaries {
		if s.Diverged > 0 && s.Candidate != before {
			before = s.Candidate
			// A run that diverged has no metrics; that others of its configuration did not is chance.
			out = append(out, fmt.Sprintf("diverged: %s of %s; the weights did not stay finite, and means leave them out. A lower learning rate is steadier.", count(s.Diverged, "run"), s.Candidate.Words()))
		}
	}
	return out
}

// meanText is a mean with half the length of its interval.
func meanText(s sweep.Summary) string {
	switch {
	case math.IsNaN(s.Mean) && s.Diverged > 0:
		return "diverged"
	case math.IsNaN(s.Mean):
		return "undefined"
	}
	text := strconv.FormatFloat(s.Mean, 'f', 4, 64)
	if !math.IsNaN(s.High) {
		text += " ± " + strconv.FormatFloat(s.High-s.Mean, 'f', 4, 64)
	}
	return text
}

// printDryRun prints the configurations with their prices.
func (s *sweepCommand) printDryRun(p *sweepPlan) error {
	seconds := s.seconds(p)
	if s.json {
		d := s.document(p, nil)
		d.Seconds = seconds
		for i := range p.candidates {
			d.Summaries = append(d.Summaries, rowOf(&p.candidates[i]))
		}
		return writeJSON(s.stdout, d)
	}
	w := s.stdout
	fmt.Fprintf(w, "dry run: nothing was trained, spent or written\n\n")
	rows, runs := [][]string{{"configuration", "epsilon of a run", "delta", "runs"}}, 0
	for i := range p.candidates {
		c := &p.candidates[i]
		rows = append(rows, []string{c.Words(), epsilonText(float64(c.Certificate.Epsilon)), strconv.FormatFloat(c.Certificate.Delta, 'g', -1, 64), strconv.Itoa(c.Runs(s.repeats))})
		runs += c.Runs(s.repeats)
	}
	if err := writeColumns(w, rows); err != nil {
		return failed{err}
	}
	return writeAll(w, fmt.Appendf(nil, "\n%s, %s; about %s\n%s", count(len(p.candidates), "configuration"), count(runs, "run"), duration(seconds), wrapped(p.notice())))
}

// Seconds that a multiply-add of Candidate.Work takes on one processor, in runs that share passes and in others,
// measured at about 3.6 GHz.
const togetherCost, aloneCost = 0.2e-9, 0.5e-9

// seconds guesses how long all runs take, at the declared number of records.
func (s *sweepCommand) seconds(p *sweepPlan) float64 {
	records := p.source.schema.Records
	if records == 0 {
		records = p.source.schema.MaxRecords
	}
	total := 0.0
	for i := range p.candidates {
		cost := aloneCost
		if p.candidates[i].Together() {
			cost = togetherCost
		}
		total += float64(p.candidates[i].Runs(s.repeats)) * p.candidates[i].Work(records) * cost
	}
	return total / float64(runtime.GOMAXPROCS(0))
}

// sweepProgress tells how far a sweep is: one line that is written over on a terminal, a line for each tenth
// otherwise. The time left is told for public tables only: how long a run takes can depend on the records.
type sweepProgress struct {
	out          io.Writer
	quiet, timed bool
	terminal     bool
	tenth        int
	began, last  time.Time
	from         int
}

func newSweepProgress(out io.Writer, quiet, timed bool) *sweepProgress {
	file, isFile := out.(*os.File)
	return &sweepProgress{out: out, quiet: quiet, timed: timed, terminal: isFile && term.IsTerminal(int(file.Fd())), tenth: -1, began: time.Now(), from: -1}
}

func (p *sweepProgress) show(now sweep.Progress) {
	if p.quiet {
		return
	}
	if p.from < 0 {
		p.from = now.Ended
	}
	line := fmt.Sprintf("%d of %d runs", now.Ended, now.Runs)
	if p.from > 0 {
		line += fmt.Sprintf(", %d of them before", p.from)
	}
	if spent := time.Since(p.began).Seconds(); p.timed && now.Share > 0.02 && now.Ended < now.Runs {
		line += ", about " + duration(spent/now.Share*(1-now.Share)) + " left"
	}
	switch tenth := now.Ended * 10 / now.Runs; {
	case p.terminal && (time.Since(p.last) > time.Second/10 || now.Ended == now.Runs):
		p.last = time.Now()
		fmt.Fprintf(p.out, "\r%-70s", line)
	case !p.terminal && tenth != p.tenth:
		p.tenth = tenth
		fmt.Fprintln(p.out, line)
	}
}

func (p *sweepProgress) end() {
	if p.terminal && !p.quiet {
		fmt.Fprintln(p.out)
	}
}
