package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ditherml/dither/train"
	"golang.org/x/term"
)

// progress tells how far a run is: one line that is written over on a terminal, a line for
// each tenth otherwise. It prints public numbers only, and no times: how long a step takes
// can depend on the records.
type progress struct {
	out      io.Writer
	quiet    bool
	terminal bool
	tenth    int
}

func newProgress(out io.Writer, quiet bool) *progress {
	file, isFile := out.(*os.File)
	return &progress{out: out, quiet: quiet, terminal: isFile && term.IsTerminal(int(file.Fd())), tenth: -1}
}

func (p *progress) show(now train.Progress) {
	if p.quiet {
		return
	}
	line := fmt.Sprintf("step %d of %d, epsilon so far %s", now.Step, now.Steps, epsilonText(now.Epsilon))
	if p.terminal {
		fmt.Fprintf(p.out, "\r%-70s", line)
		return
	}
	if tenth := now.Step * 10 / now.Steps; tenth != p.tenth {
		p.tenth = tenth
		fmt.Fprintln(p.out, line)
	}
}

func (p *progress) end() {
	if p.terminal && !p.quiet {
		fmt.Fprintln(p.out)
	}
}
