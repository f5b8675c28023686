package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/sweep"
	"golang.org/x/term"
)

// print prints the table of a finished sweep.
func (s *sweepCommand) print(p *sweepPlan, study *outcome.Study, summaries []sweep.Summary) error {
	if s.json {
		return writeJSON(s.stdout, study.Document(summaries, true))
	}
	w := s.stdout
	if p.secret() {
		fmt.Fprintf(w, "%s\n\n", notPrivateBanner)
	}
	if err := writeColumns(w, study.Rows(summaries)); err != nil {
		return failed{err}
	}
	text := outcome.SparkText(outcome.Figures(p.varied, summaries, "", outcome.Marked{})) + fmt.Sprintf("\nmeasured on %s; mean over %s with Student's interval of 95 %%\n%s", oneLine(study.Measured), count(s.repeats, "run"), wrapped(study.Notice()))
	for _, words := range outcome.DivergedWords(summaries) {
		text += "\n" + wrapped(printable(words))
	}
	if words := outcome.MarkedWords(study.Marked); words != "" {
		text += "\n" + wrapped("marked: "+printable(words)+".")
	}
	if !p.secret() {
		text += fmt.Sprintf("\nread       %s/%s\nresults    %s/%s, %s, %s\n", s.out, sweepPage, s.out, sweepResults, sweepSummary, sweepJSON)
	}
	return writeAll(w, []byte(text))
}

func (p *sweepPlan) varies(name string) bool {
	for _, v := range p.varied {
		if v.Name == name {
			return true
		}
	}
	return false
}

// printDryRun prints the configurations with their prices.
func (s *sweepCommand) printDryRun(p *sweepPlan) error {
	seconds := s.seconds(p)
	if s.json {
		d := s.study(p).Document(nil, s.mark != "")
		d.Seconds = seconds
		for i := range p.candidates {
			d.Summaries = append(d.Summaries, outcome.RowOf(&p.candidates[i]))
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
	return writeAll(w, fmt.Appendf(nil, "\n%s, %s; about %s\n%s", count(len(p.candidates), "configuration"), count(runs, "run"), display.Duration(seconds), wrapped(s.study(p).Notice())))
}

// seconds guesses how long all runs take, at the declared number of records.
func (s *sweepCommand) seconds(p *sweepPlan) float64 {
	records := p.source.schema.Records
	if records == 0 {
		records = p.source.schema.MaxRecords
	}
	return sweep.Seconds(p.candidates, s.repeats, records, runtime.GOMAXPROCS(0))
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
		line += ", about " + display.Duration(spent/now.Share*(1-now.Share)) + " left"
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
