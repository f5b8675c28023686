package progress

import (
	"fmt"
	"io"
	"os"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/train"
	"golang.org/x/term"
)

// Steps shows how far a run is: one line that is overwritten on a terminal, or a line for each
// tenth. It prints public numbers only, and no times, because the duration of a step can depend on
// the records.
type Steps struct {
	out      io.Writer
	quiet    bool
	terminal bool
	tenth    int
}

// NewSteps returns a Steps that writes to out, or with quiet nothing.
func NewSteps(out io.Writer, quiet bool) *Steps {
	file, isFile := out.(*os.File)
	return &Steps{out: out, quiet: quiet, terminal: isFile && term.IsTerminal(int(file.Fd())), tenth: -1}
}

// Show reports a step.
func (p *Steps) Show(now train.Progress) {
	if p.quiet {
		return
	}
	line := fmt.Sprintf("step %d of %d, epsilon so far %s", now.Step, now.Steps, certificate.Epsilon(now.Epsilon).Rounded())
	if p.terminal {
		fmt.Fprintf(p.out, "\r%-70s", line)
		return
	}
	if tenth := now.Step * 10 / now.Steps; tenth != p.tenth {
		p.tenth = tenth
		fmt.Fprintln(p.out, line)
	}
}

// End ends the line.
func (p *Steps) End() {
	if p.terminal && !p.quiet {
		fmt.Fprintln(p.out)
	}
}
