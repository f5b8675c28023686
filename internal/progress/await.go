// Package progress shows on a terminal, or in a file, how far some work is. It prints public
// numbers only.
package progress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ditherml/dither/internal/failure"
	"golang.org/x/term"
)

// progressEvery is the interval at which a long computation reports that it continues.
const progressEvery = time.Second

// errNoPrice is the error of a computation that was stopped.
var errNoPrice = failure.Running(errors.New("stopped before the price was known; nothing was spent or written"))

// Await returns the result of work, or an error as soon as the context ends. Pricing a plan may
// take long, and a command must stop at once. Apart from its result, work must change nothing,
// because it runs on until the process ends. A long computation writes to messages, if that is a
// file or terminal, that it continues. Its duration depends on public numbers alone.
func Await[T any](ctx context.Context, messages io.Writer, what string, work func() (T, error)) (T, error) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	say, end := announcer(messages, what)
	defer end()
	return awaitAt(ctx, ticker.C, say, work)
}

// awaitAt is Await with a clock: say is called for each tick.
func awaitAt[T any](ctx context.Context, tick <-chan time.Time, say func(ticks int), work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	if ctx.Err() != nil {
		return none, errNoPrice
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	for ticks := 1; ; ticks++ {
		select {
		case o := <-done:
			return o.value, o.err
		case <-ctx.Done():
			return none, errNoPrice
		case <-tick:
			say(ticks)
		}
	}
}

// announcer returns a function that reports that a computation continues, and one for its end. On a
// terminal one line is overwritten. A file gets a line at 1, 2, 4, 8, … ticks, and other writers
// get nothing.
func announcer(messages io.Writer, what string) (say func(ticks int), end func()) {
	file, isFile := messages.(*os.File)
	if !isFile {
		return func(int) {}, func() {}
	}
	terminal, said := term.IsTerminal(int(file.Fd())), false
	say = func(ticks int) {
		line := fmt.Sprintf("%s: %v so far, Ctrl-C stops", what, time.Duration(ticks)*progressEvery)
		switch {
		case terminal:
			fmt.Fprintf(file, "\r%-70s", line)
			said = true
		case ticks&(ticks-1) == 0:
			fmt.Fprintln(file, line)
		}
	}
	end = func() {
		if said {
			fmt.Fprintln(file)
		}
	}
	return say, end
}
