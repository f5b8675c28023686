package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Shares shows which share of some work is done, and about how long the rest takes: one line that is
// overwritten on a terminal, or a line for each tenth. Work that goes on in goroutines must call Tell
// from one at a time.
type Shares struct {
	out      io.Writer
	terminal bool
	start    time.Time
	shown    time.Time
	next     float64
}

// NewShares returns a Shares that writes to out. The work begins now.
func NewShares(out io.Writer) *Shares {
	file, isFile := out.(*os.File)
	return &Shares{out: out, terminal: isFile && term.IsTerminal(int(file.Fd())), start: time.Now()}
}

// refresh is how long a line stands on a terminal at least.
const refresh = 200 * time.Millisecond

// Tell reports what goes on and which share of all work is done.
func (s *Shares) Tell(what string, done float64) {
	if s.terminal && time.Since(s.shown) < refresh || !s.terminal && done < s.next {
		return
	}
	s.shown, s.next = time.Now(), done+0.1
	line := fmt.Sprintf("%3.0f %% done, now %s%s", 100*done, what, left(time.Since(s.start), done))
	if s.terminal {
		line = "\r" + padded(line)
	} else {
		line += "\n"
	}
	_, _ = io.WriteString(s.out, line) // messages that nobody reads end no work
}

// left says how long the rest takes, once enough is done to know it.
func left(passed time.Duration, done float64) string {
	const known = 0.05
	if done < known || done >= 1 {
		return ""
	}
	return fmt.Sprintf(", about %v left", time.Duration(float64(passed)*(1-done)/done).Round(time.Second))
}

// lineWidth is the width of a line that is overwritten.
const lineWidth = 100

// padded fills or cuts a line to the width.
func padded(line string) string {
	if len(line) > lineWidth {
		return line[:lineWidth]
	}
	return line + strings.Repeat(" ", lineWidth-len(line))
}

// End clears the line of a terminal.
func (s *Shares) End() {
	if s.terminal && !s.shown.IsZero() {
		_, _ = io.WriteString(s.out, "\r"+padded("")+"\r")
	}
}

// Unless returns the result of work, or the error stopped as soon as the context ends. Apart from
// its result, work must change nothing, because it may run on until the process ends.
func Unless[T any](ctx context.Context, stopped error, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		if ctx.Err() != nil {
			o.err = stopped
		}
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, stopped
	}
}
