package tabular

import (
	"strings"
	"testing"
	"time"
)

// pieces collects what is written, one piece for each writing.
type pieces struct {
	all  []string
	came chan struct{}
}

func (p *pieces) Write(b []byte) (int, error) {
	p.all = append(p.all, string(b))
	p.came <- struct{}{}
	return len(b), nil
}

// TestShowing wants one line that is written over at each tick, without a number of rows, and an empty
// line at the end.
func TestShowing(t *testing.T) {
	terminal, tick := &pieces{came: make(chan struct{}, 9)}, make(chan time.Time)
	end := showing(terminal, tick, `query "SELECT `+strings.Repeat("x, ", 50)+`y FROM t"`)
	for range 2 {
		tick <- time.Time{}
		<-terminal.came
	}
	end()
	if len(terminal.all) != 3 || strings.TrimSpace(terminal.all[2]) != "" {
		t.Fatalf("got %q, want two lines and an empty one", terminal.all)
	}
	for i, want := range []string{"…: 1s so far, Ctrl-C stops", "…: 2s so far, Ctrl-C stops"} {
		got := strings.TrimRight(terminal.all[i], " ")
		if !strings.HasPrefix(got, "\rreading query \"SELECT x, ") || !strings.HasSuffix(got, want) || strings.Contains(got, "\n") || len([]rune(terminal.all[i])) != lineWidth+1 {
			t.Errorf("got %q, want one line over the one before that ends in %q", terminal.all[i], want)
		}
	}
	quick := &pieces{came: make(chan struct{}, 9)}
	showing(quick, make(chan time.Time), "table")()
	if len(quick.all) > 0 {
		t.Errorf("a quick reading wrote %q, want nothing", quick.all)
	}
}
