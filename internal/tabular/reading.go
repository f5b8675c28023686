package tabular

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/database"
)

// terminalKey is the key of the terminal in a context.
type terminalKey struct{}

// WithTerminal returns a context in which the reading of a database shows on a terminal that it goes
// on. The line states the time so far and no number of rows, because that may be private. Files must
// not get the line: they would keep a time that depends on the records.
func WithTerminal(ctx context.Context, terminal io.Writer) context.Context {
	return context.WithValue(ctx, terminalKey{}, terminal)
}

// shown is a table of a database whose reading shows on the terminal of its context.
type shown struct{ database.Table }

// Stored is [database.Table.Stored].
func (s shown) Stored() (database.Table, error) {
	table, err := s.Table.Stored()
	return shown{table}, err
}

// Read is [database.Table.Read].
func (s shown) Read(ctx context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	if terminal, is := ctx.Value(terminalKey{}).(io.Writer); is {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		defer showing(terminal, ticker.C, s.Name())()
	}
	return s.Table.Read(ctx, choose, take)
}

const (
	// every is the interval at which the line on a terminal changes.
	every = time.Second
	// nameWidth and lineWidth are the largest widths of the name of a table, and of the line.
	nameWidth, lineWidth = 36, 78
)

// showing writes a line over the line before at each tick, until end is called. It returns end.
func showing(terminal io.Writer, tick <-chan time.Time, name string) (end func()) {
	if runes := []rune(name); len(runes) > nameWidth {
		name = string(runes[:nameWidth-1]) + "…"
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for ticks := 1; ; ticks++ {
			select {
			case <-stop:
				if ticks > 1 {
					_, _ = fmt.Fprintf(terminal, "\r%s\r", strings.Repeat(" ", lineWidth))
				}
				return
			case <-tick:
				_, _ = fmt.Fprintf(terminal, "\r%-*s", lineWidth, fmt.Sprintf("reading %s: %v so far, Ctrl-C stops", name, time.Duration(ticks)*every))
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
