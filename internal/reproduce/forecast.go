package reproduce

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/experiment"
)

// Forecast shows the progress of a list of experiments, and about how long the rest takes.
type Forecast struct {
	out         io.Writer
	terminal    bool
	left        []experiment.Reproduction
	total, done int
	began       time.Time
	told        time.Time
}

// NewForecast returns the forecast of experiments, written to out. On a terminal it is one line,
// which is overwritten. Experiments without their data sets do not run.
func NewForecast(out io.Writer, terminal bool, chosen []experiment.Reproduction, l experiment.Environment) *Forecast {
	all := slices.DeleteFunc(slices.Clone(chosen), func(r experiment.Reproduction) bool { return Missing(r, l) != nil })
	return &Forecast{out: out, terminal: terminal, left: all, total: len(all), began: time.Now()}
}

// rest returns an estimate of the remaining time, from this experiment's time so far and the stated
// times of the others.
func (f *Forecast) rest(done float64) time.Duration {
	if len(f.left) == 0 {
		return 0
	}
	took := time.Since(f.began)
	declared := time.Duration(f.left[0].Minutes * float64(time.Minute))
	rest := time.Duration((1 - done) * float64(declared))
	if done > 0.05 {
		rest = time.Duration(float64(took) * (1 - done) / done)
	}
	for _, r := range f.left[1:] {
		rest += time.Duration(r.Minutes * float64(time.Minute))
	}
	return rest
}

// Show prints one line, which is overwritten on a terminal.
func (f *Forecast) Show(what string, done float64) {
	if len(f.left) == 0 || !f.terminal && time.Since(f.told) < 5*time.Second {
		return
	}
	f.told = time.Now()
	line := fmt.Sprintf("%d of %d, %s: %s, %.0f %%, about %s left", f.done+1, f.total, f.left[0].Name, display.Printable(what), 100*done, minutesText(f.rest(done).Minutes()))
	if f.terminal {
		fmt.Fprintf(f.out, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(f.out, line)
}

// Finished moves on to the next experiment.
func (f *Forecast) Finished(r experiment.Result) {
	if f.terminal && !f.told.IsZero() {
		fmt.Fprint(f.out, "\r\x1b[K")
	}
	if r.Missing == nil && len(f.left) > 0 {
		f.left, f.done, f.began = f.left[1:], f.done+1, time.Now()
	}
}
