package grid

import (
	"fmt"
	"io"
	"time"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/sweep"
)

// Progress shows how far a sweep is: one line that is overwritten on a terminal, or a line for each
// tenth. It shows the remaining time for public tables only, because the duration of a run can
// depend on the records.
type Progress struct {
	out          io.Writer
	quiet, timed bool
	terminal     bool
	tenth        int
	began, last  time.Time
	from         int
}

// NewProgress returns the progress of a sweep, written to out unless quiet.
func NewProgress(out io.Writer, quiet, terminal bool) *Progress {
	return &Progress{out: out, quiet: quiet, terminal: terminal, tenth: -1, began: time.Now(), from: -1}
}

func (p *Progress) show(now sweep.Progress) {
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

func (p *Progress) end() {
	if p.terminal && !p.quiet {
		fmt.Fprintln(p.out)
	}
}
