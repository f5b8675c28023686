package progress

import (
	"fmt"
	"io"
	"os"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/train"
	"golang.org/x/term"
)

// Steps tells how far a run is: one line that is written over on a terminal, a line for
// each tenth otherwise. It prints public numbers only, and no times: how long a step takes
// can depend on the records.
type Steps struct {
	out      io.Writer
	quiet    bool
	terminal bool
	tenth    int
}

// NewSteps returns one that tells on out, or with quiet nothing.
func NewSteps(out io.Writer, quiet bool) *Steps {
	file, isFile := out.(*os.File)
	return &Steps{out: out, quiet: quiet, terminal: isFile && term.IsTerminal(int(file.Fd())), tenth: -1}
}

// Show tells of a step.
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
