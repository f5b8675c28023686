//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
)

// resumable is a run of 40 steps. It tells every fourth.
var resumable = []string{"train", "--data", "people.csv", "--schema", "people.yaml", "--model", "mlp", "--hidden", "3", "--sampling", "full", "--steps", "40", "--epsilon", "0.5"}

// resumeFiles makes a working folder with a table, a schema and a ledger.
func resumeFiles(t *testing.T) {
	t.Helper()
	workplace(t, 200)
	newPeopleLedger(t, "people.ledger")
}

func newPeopleLedger(t *testing.T, name string) {
	t.Helper()
	mustInvoke(t, "ledger", "create", name, "--data", "people", "--epsilon", "20", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3", "--population", "north: Ulm", "--population", "south: Bonn")
}

// counted returns what a ledger counts.
func counted(t *testing.T, ledger string) []budget.Release {
	t.Helper()
	b, err := budget.OpenFile(t.Context(), ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return b.Summary().Releases
}

// shareOf returns the share that releases take, from one of them on.
func shareOf(all []budget.Release, from int) (sum float64) {
	for _, r := range all[from:] {
		sum += r.Share
	}
	return sum
}

// watcher calls functions once the progress of a run says certain words.
type watcher struct {
	text strings.Builder
	at   map[string]func()
}

func (w *watcher) Write(p []byte) (int, error) {
	for words, do := range w.at {
		if strings.Contains(string(p), words) {
			do()
			delete(w.at, words)
		}
	}
	return w.text.Write(p)
}

// stopAt runs a command and stops it as by Ctrl-C after a step. Its checkpoint state is copied at other steps, to
// files of their numbers.
func stopAt(t *testing.T, step int, copies []int, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := func(step int) string { return fmt.Sprintf("step %d of 40", step) }
	out := &watcher{at: map[string]func(){told(step): cancel}}
	for _, at := range copies {
		out.at[told(at)] = func() {
			text, err := os.ReadFile("state")
			if err != nil {
				t.Error(err)
			}
			writeText(t, fmt.Sprint("state", at), string(text))
		}
	}
	args = append(args, "--checkpoint-every", "7", "--out", "stopped")
	if status := run(ctx, args, out, out); status != exitFailed || !strings.Contains(out.text.String(), "goes on from it") {
		t.Fatalf("got exit status %d and %s, want the run stopped", status, out.text.String())
	}
}

// near reports whether shares are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// TestResumePaysForTheRest stops runs that a ledger pays for and goes on. Each process pays for the steps that it makes:
// one that is stopped in order and goes on costs what it costs without a stop.
func TestResumePaysForTheRest(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	mustInvoke(t, append(paid, "--quiet", "--out", "whole")...)
	whole := shareOf(counted(t, "people.ledger"), 0)
	one := 0.0 // the share of a step
	stopAt(t, 20, []int{12}, append(paid, "--checkpoint", "state")...)
	all := counted(t, "people.ledger")
	if last := all[len(all)-1]; last.Outcome != budget.Stopped || last.Begun != 21 {
		t.Fatalf("got %+v, want a run that stopped after the number of rows and 20 steps", last)
	}
	one = (whole - all[1].Share) / 20
	again := func(name, state string, steps float64, rest ...string) {
		t.Helper()
		before := len(counted(t, "people.ledger"))
		args := append(append(slices.Clone(paid), "--quiet", "--resume", state, "--out", name), rest...)
		mustInvoke(t, args...)
		mustInvoke(t, "verify", name, "--ledger", "people.ledger")
		mustInvoke(t, "ledger", "check", "people.ledger", name)
		if got := shareOf(counted(t, "people.ledger"), before); !(math.Abs(got-steps*one) <= 1e-9*whole) {
			t.Errorf("%s: going on is charged %g of the ledger, want %v steps of %g each", name, got, steps, one)
		}
	}
	copied, err := os.ReadFile("state")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "copy", string(copied))
	again("resumed", "state", 20)
	if all = counted(t, "people.ledger"); !near(all[1].Share+all[2].Share, whole) {
		t.Errorf("a run that was stopped and went on takes %g and %g, want %g in all", all[1].Share, all[2].Share, whole)
	}
	again("from a copy", "copy", 20) // all of these steps are new
	again("from its end", "state", 0)
	status, _, stderr := invoke(append(paid, "--quiet", "--resume", "state12", "--out", "stale")...)
	if status != exitUsage || !strings.Contains(stderr, "began 21 releases, and the checkpoint knows of 15") || display.Exists("stale") {
		t.Errorf("an old copy of a checkpoint: got %d and %q, want it refused", status, stderr)
	}
	if status, _, stderr = invoke(append(slices.Clone(resumable), "--quiet", "--resume", "copy", "--out", "free")...); status != exitUsage || !strings.Contains(stderr, "want --ledger with it") || display.Exists("free") {
		t.Errorf("a paid checkpoint without its ledger: got %d and %q, want it refused", status, stderr)
	}
	stopAt(t, 20, nil, append(slices.Clone(paid), "--checkpoint", "second")...)
	stopAt(t, 28, nil, append(slices.Clone(paid), "--resume", "second")...)
	again("twice", "second", 12)
	if all = counted(t, "people.ledger"); !near(shareOf(all, len(all)-3), whole) || all[len(all)-2].Begun != 8 {
		t.Errorf("a run that was stopped twice takes %g in three records, and %d steps of the second, want %g and 8", shareOf(all, len(all)-3), all[len(all)-2].Begun, whole)
	}
	if status, _, stderr = invoke(append(paid, "--resume", "second", "--population", "north", "--out", "north")...); status != exitUsage || !strings.Contains(stderr, `want "north"`) {
		t.Errorf("another population: got %d and %q, want it refused", status, stderr)
	}
}

// TestResumeUnderAnotherLedgerPaysForAll goes on under a ledger that did not pay for the first steps.
func TestResumeUnderAnotherLedgerPaysForAll(t *testing.T) {
	resumeFiles(t)
	newPeopleLedger(t, "other.ledger")
	stopAt(t, 20, nil, append(slices.Clone(resumable), "--ledger", "people.ledger", "--checkpoint", "state")...)
	stopAt(t, 20, nil, append(slices.Clone(resumable), "--checkpoint", "free")...)
	mustInvoke(t, append(slices.Clone(resumable), "--ledger", "people.ledger", "--quiet", "--out", "whole")...)
	all := counted(t, "people.ledger")
	whole := all[1].Share
	stopAt(t, 28, nil, append(slices.Clone(resumable), "--ledger", "other.ledger", "--resume", "state")...)
	mustInvoke(t, append(slices.Clone(resumable), "--ledger", "other.ledger", "--quiet", "--resume", "state", "--out", "a")...)
	if got := counted(t, "other.ledger"); len(got) != 2 || !near(got[0].Share+got[1].Share, whole) || got[0].Begun != 29 {
		t.Errorf("a checkpoint of another ledger: got %+v, want all steps in two records, %g", got, whole)
	}
	mustInvoke(t, "ledger", "check", "other.ledger", "a")
	before, err := os.ReadFile("people.ledger")
	if err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, append(slices.Clone(resumable), "--ledger", "people.ledger", "--quiet", "--resume", "free", "--out", "b")...)
	if all = counted(t, "people.ledger"); !near(all[2].Share, whole) {
		t.Errorf("a checkpoint without a ledger: got the share %g, want %g for all steps", all[2].Share, whole)
	}
	stopAt(t, 20, nil, append(slices.Clone(resumable), "--ledger", "people.ledger", "--checkpoint", "later")...)
	writeText(t, "people.ledger", string(before)) // an older copy, without the record of that run
	if status, _, stderr := invoke(append(slices.Clone(resumable), "--ledger", "people.ledger", "--resume", "later", "--out", "c")...); status == exitDone || !strings.Contains(stderr, "restored") && !strings.Contains(stderr, "record") {
		t.Errorf("a ledger that was restored: got %d and %q, want it refused", status, stderr)
	}
}

// TestTwoResumesPayTwice goes on from two copies of one checkpoint at once.
func TestTwoResumesPayTwice(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger", "--quiet")
	stopAt(t, 20, nil, append(slices.Clone(resumable), "--ledger", "people.ledger", "--checkpoint", "state0")...)
	text, err := os.ReadFile("state0")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "state1", string(text))
	first := counted(t, "people.ledger")[0].Share
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			if out, err := startable(append(slices.Clone(paid), "--resume", fmt.Sprint("state", i), "--out", fmt.Sprint("m", i))...).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	got := counted(t, "people.ledger")
	if len(got) != 3 || !near(got[1].Share, got[2].Share) || !(got[1].Share > 0.9*first) {
		t.Errorf("got %+v, want 20 steps paid for three times", got)
	}
}

// TestResumeAfterKills kills a run at random moments and goes on from its checkpoint until it ends. The ledger counts at
// least the releases of all processes.
func TestResumeAfterKills(t *testing.T) {
	resumeFiles(t)
	paid := append(slices.Clone(resumable), "--ledger", "people.ledger")
	mustInvoke(t, append(paid, "--quiet", "--out", "whole")...)
	stopAt(t, 20, nil, append(slices.Clone(paid), "--checkpoint", "half")...)
	all := counted(t, "people.ledger")
	step, before := (all[0].Share-all[1].Share)/20, len(all)
	rounds := map[bool]int{false: 2, true: 40}[thorough]
	lives, released := 0, 0
	for round := range rounds {
		state, out := fmt.Sprint("state", round), fmt.Sprint("out", round)
		for !display.Exists(out+"/certificate.json") && !t.Failed() {
			args := append(slices.Clone(paid), "--checkpoint-every", "3", "--out", fmt.Sprint(out, "-", lives), "--checkpoint", state)
			if display.Exists(state) {
				args[len(args)-2] = "--resume"
			}
			from, to, done := lived(t, rand.IntN(16), args)
			lives, released = lives+1, released+to-from
			if done {
				out = fmt.Sprint(out, "-", lives-1)
			}
			if info, err := os.Stat(state); err == nil && info.Size() == 0 { // killed before its first checkpoint
				_ = os.Remove(state)
			}
			if got := shareOf(counted(t, "people.ledger"), before); got < float64(released)*step*(1-1e-9) {
				t.Fatalf("after %d processes the ledger counts %g, and %d steps of %g were made", lives, got, released, step)
			}
		}
		mustInvoke(t, "verify", out, "--ledger", "people.ledger")
		mustInvoke(t, "ledger", "check", "people.ledger", out)
	}
	got := shareOf(counted(t, "people.ledger"), before)
	t.Logf("%d runs in %d processes made at least %d steps; the ledger counts %.1f", rounds, lives, released, got/step)
}

// lived runs a command that is killed soon after it told this number of steps, and returns the steps at which it began
// and ended, and whether it came to its end.
func lived(t *testing.T, steps int, args []string) (from, to int, done bool) {
	c := startable(args...)
	messages, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	from = -1
	lines := bufio.NewScanner(messages)
	lines.Split(bufio.ScanWords)
	for last := ""; lines.Scan(); last = lines.Text() {
		said.WriteString(lines.Text() + " ")
		at := 0
		if _, err = fmt.Sscan(lines.Text(), &at); last != "step" || err != nil {
			continue
		}
		if to = at; from < 0 {
			from = at
		}
		if at-from >= steps {
			time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { _ = c.Process.Kill() })
			steps = math.MaxInt
		}
	}
	err = c.Wait()
	if code := c.ProcessState.ExitCode(); err != nil && code >= 0 {
		t.Fatalf("%q: got exit status %d and %s", args, code, said.String())
	}
	return max(from, 0), max(to, from, 0), err == nil
}
