//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/pgtest"
	"github.com/ditherml/dither/train/neural"
)

// lockedVariable makes the test program a process of dither on its first thread: its value are the arguments, a line
// each. strace counts the calls of each thread by themselves.
const lockedVariable = "DITHER_TEST_LOCKED"

func init() {
	if args := os.Getenv(lockedVariable); args != "" {
		runtime.LockOSThread()
		drawImage = drawNothing
		os.Exit(run(context.Background(), strings.Split(args, "\n"), os.Stdout, os.Stderr))
	}
}

// fileCalls are the system calls that reach files, and changingCalls those of them that can change one.
var (
	changingCalls = []string{"write", "pwrite64", "fsync", "ftruncate", "renameat", "renameat2", "linkat", "unlinkat", "mkdirat", "fchmodat", "openat"}
	fileCalls     = append([]string{"read", "pread64", "flock", "fstat", "newfstatat", "statfs", "close", "lseek", "getdents64"}, changingCalls...)
)

// payingRun is a command that pays from a ledger, in a folder that each trial gets a copy of.
type payingRun struct {
	name   string
	args   []string
	home   string
	server *pgtest.Server // of the ledgers, nil for files
	full   float64        // the share of the ledger that the whole run takes
	made   []string
}

var payingRuns = []payingRun{
	{name: "train", args: []string{"train", "--epsilon", "0.2", "--steps", "3", "--quiet", "--out", "out"}},
	{name: "checkpoints", args: []string{"train", "--epsilon", "0.2", "--steps", "4", "--quiet", "--model", "mlp", "--hidden", "3", "--sampling", "full", "--checkpoint", "state", "--checkpoint-every", "2", "--out", "out"}},
	{name: "resume", args: []string{"train", "--epsilon", "0.2", "--steps", "4", "--quiet", "--model", "mlp", "--hidden", "3", "--sampling", "full", "--resume", "state", "--checkpoint-every", "1", "--out", "out"}},
	{name: "query", args: []string{"query", "count", "--epsilon", "0.1", "--out", "out"}},
	{name: "printed query", args: []string{"query", "count", "--epsilon", "0.1"}},
	{name: "holdout", args: []string{"train", "--epsilon", "0.4", "--steps", "3", "--quiet", "--holdout", "private:0.2", "--out", "out"}},
	{name: "choice", args: []string{"sweep", "--select", "geometric:2", "--learning-rate", "0.5,1", "--steps", "2", "--epsilon", "0.2", "--test", "people.test.csv", "--test-public", "--quiet", "--out", "out"}},
	{name: "evaluation", args: []string{"evaluate", "model", "people.csv", "--private", "--epsilon", "0.2", "--out", "out"}},
}

// TestServerLedgerSurvivesSystemCalls is TestLedgerSurvivesSystemCalls for ledgers on a PostgreSQL server.
func TestServerLedgerSurvivesSystemCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace: ", err)
	}
	server := pgtest.Start(t)
	for _, p := range payingRuns {
		if p.server = server; p.name == "train" || thorough && strings.HasSuffix(p.name, "query") {
			t.Run(p.name, func(t *testing.T) { p.survives(t, strace) })
		}
	}
}

// trials counts how runs that were stopped stand.
type trials struct{ runs, stopped, under, over, repaired atomic.Int32 }

// TestLedgerSurvivesSystemCalls kills commands that pay from a ledger, and lets calls fail, at each system call on
// files after they opened the ledger. Whatever number is found anywhere afterwards, the ledger counts it.
func TestLedgerSurvivesSystemCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace: ", err)
	}
	runs := payingRuns
	if !thorough { // a share of them, by chance
		runs = slices.Clone(runs)
		rand.Shuffle(len(runs), func(i, k int) { runs[i], runs[k] = runs[k], runs[i] })
		runs = runs[:2]
	}
	for _, p := range runs {
		t.Run(p.name, func(t *testing.T) { p.survives(t, strace) })
	}
}

// survives tries the faults of a run: all of them, or some that chance picks.
func (p payingRun) survives(t *testing.T, strace string) {
	if thorough && p.server == nil {
		t.Parallel()
	}
	p.home = payingHome(t, p.server == nil)
	switch {
	case slices.Contains(p.args, "--resume"):
		p.stopped(t)
	case slices.Contains(p.args, "model"):
		p.modeled(t)
	}
	found := &trials{}
	all := p.points(t, strace)
	every := len(all) / 3
	switch {
	case thorough && testing.Short():
		every = 16
	case thorough:
		every = 1
	}
	for k := rand.IntN(every); k < len(all); k += every {
		p.try(t, strace, all[k], found)
	}
	t.Logf("%d runs, %d of them stopped: %d spent less than they released, %d spent and released nothing, %d ledgers were repaired",
		found.runs.Load(), found.stopped.Load(), found.under.Load(), found.over.Load(), found.repaired.Load())
	if n := found.stopped.Load(); found.runs.Load() >= 60 && n < found.runs.Load()/3 { // four of five are
		t.Errorf("%d of %d runs were stopped: strace did not do its own", n, found.runs.Load())
	}
}

// modeled leaves a model that an evaluation measures. No ledger counts it.
func (p payingRun) modeled(t *testing.T) {
	inPlace.Lock()
	defer inPlace.Unlock()
	mustInvoke(t, "train", "--data", filepath.Join(p.home, "people.csv"), "--schema", filepath.Join(p.home, "people.yaml"), "--epsilon", "0.2", "--steps", "3", "--quiet", "--out", filepath.Join(p.home, "model"))
}

// payingHome makes a folder with a table, its schema and, for runs that pay from a file, a ledger.
func payingHome(t *testing.T, file bool) string {
	home := t.TempDir()
	writeText(t, filepath.Join(home, "people.yaml"), binaryText)
	peopleTable(t, home, 60)
	writeText(t, filepath.Join(home, "people.test.csv"), readText(t, filepath.Join(home, "people.csv")))
	if file {
		payingLedger(t, filepath.Join(home, "people.ledger"))
	}
	return home
}

// payingLedger makes a ledger.
func payingLedger(t *testing.T, where string) {
	inPlace.Lock()
	defer inPlace.Unlock()
	mustInvoke(t, "ledger", "create", where, "--data", "people", "--epsilon", "5", "--delta", "1e-5", "--row", "one person", "--rows-per-person", "3")
}

// ledger returns the ledger of a trial in a folder.
func (p payingRun) ledger(place string) string {
	if p.server != nil {
		return p.server.URL("ledger", filepath.Base(filepath.Dir(place))+filepath.Base(place))
	}
	return filepath.Join(place, "people.ledger")
}

// stopped leaves the checkpoint of a run after two of its steps, which the ledger counts.
func (p payingRun) stopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &stopper{at: "step 2 of 4", stop: cancel}
	var args []string
	for _, arg := range slices.Concat(p.args, p.inputs(p.home)) {
		switch arg {
		case "--quiet":
			continue
		case "--resume":
			arg = "--checkpoint"
		case "state", "out":
			arg = filepath.Join(p.home, arg)
		}
		args = append(args, arg)
	}
	inPlace.Lock()
	defer inPlace.Unlock()
	if status := run(ctx, args, out, out); status != exitFailed || !display.Exists(filepath.Join(p.home, "state")) {
		t.Fatalf("got exit status %d and %s, want a run that stopped", status, out.text.String())
	}
}

// inPlace keeps commands in the process of the test apart.
var inPlace sync.Mutex

// copied returns a new folder with the files of home, and a ledger.
func (p payingRun) copied(t *testing.T) string {
	place := t.TempDir()
	if err := os.CopyFS(place, os.DirFS(p.home)); err != nil {
		t.Fatal(err)
	}
	if p.server != nil {
		payingLedger(t, p.ledger(place))
	}
	return place
}

// inputs are the flags of records and ledger, in a folder. An evaluation names its records itself.
func (p payingRun) inputs(place string) []string {
	paid := []string{"--ledger", p.ledger(place)}
	if slices.Contains(p.args, "people.csv") {
		return paid
	}
	return append(paid, "--data", filepath.Join(place, "people.csv"), "--schema", filepath.Join(place, "people.yaml"))
}

// traced runs the command in a folder under strace and returns what it printed.
func (p payingRun) traced(strace, place string, options ...string) (stdout, stderr string, err error) {
	c := exec.Command(strace, slices.Concat([]string{"-f", "-qq"}, options, os.Args[:1])...)
	var out, messages strings.Builder
	c.Dir, c.Stdout, c.Stderr = place, &out, &messages
	args := slices.Concat(p.args, p.inputs(place))
	for i, arg := range args {
		args[i] = strings.TrimPrefix(arg, place+"/") // names as they are looked for in the calls
	}
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1", "TMPDIR="+place, lockedVariable+"="+strings.Join(args, "\n"))
	err = c.Run()
	return out.String(), messages.String(), err
}

// point is one fault: what happens at this call of its kind.
type point struct {
	call, fault string
	n           int
}

var callOf = regexp.MustCompile(`^(\d+) +([a-z0-9_]+)\((.*)`)

// points runs the command without a fault, and returns the faults to try after it opened the ledger.
func (p *payingRun) points(t *testing.T, strace string) []point {
	place := p.copied(t)
	log := filepath.Join(t.TempDir(), "calls")
	if _, messages, err := p.traced(strace, place, "-s", "400", "-o", log, "-e", "trace=connect,"+strings.Join(fileCalls, ",")); err != nil {
		t.Fatalf("the run without a fault: %v: %s", err, messages)
	}
	if p.full, _ = p.spentShare(t, place); !(p.full > 0) {
		t.Fatalf("the run without a fault takes the share %g of the ledger, want more than 0", p.full)
	}
	if p.made = p.results(filepath.Join(place, "out")); len(p.made) == 0 { // of an answer that could not be printed
		p.made = []string{"answer.json", certificate.FileName}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var all []point
	begun, main, seen, paid := false, "", map[string]int{}, payments{}
	for line := range strings.Lines(string(text)) {
		call := callOf.FindStringSubmatch(line)
		if call == nil {
			continue
		}
		if !begun && (call[2] == "openat" && strings.Contains(call[3], `"people.ledger"`) || call[2] == "connect" && p.server != nil) {
			begun, main = true, call[1]
		}
		if seen[call[1]+call[2]]++; !begun {
			continue
		}
		if call[1] != main {
			wakes := strings.Contains(call[3], `"\1\0\0\0\0\0\0\0", 8`) // the event of the runtime, and no file
			if slices.Contains(changingCalls[:len(changingCalls)-1], call[2]) && !wakes {
				t.Errorf("another thread changes a file, so that faults are counted wrongly: %s", line)
			}
			continue
		}
		paid.take(call[2], call[3])
		if call[2] == "openat" && strings.Contains(call[3], `"people.csv"`) && !paid.durably(p.server != nil) {
			t.Errorf("the records are opened after %+v, want three fsyncs, of the ledger's folder, record and head, or a commit", paid)
		}
		all = append(all, p.faults(call[2], seen[call[1]+call[2]])...)
	}
	if !paid.opened {
		t.Error("the records were not opened in the thread that is watched")
	}
	return all
}

// payments are the calls that make a reservation durable, and whether the records were opened.
type payments struct {
	fsyncs              int
	inserted, committed bool
	opened              bool
}

func (p *payments) take(call, text string) {
	switch {
	case call == "fsync":
		p.fsyncs++
	case call == "openat" && strings.Contains(text, `"people.csv"`):
		p.opened = true
	case call == "write" && strings.Contains(text, "insert into dither_ledger"), call == "write" && strings.Contains(text, "INSERT INTO dither_ledger"):
		p.inserted = true
	case call == "write" && p.inserted && strings.Contains(text, "commit"):
		p.committed = true
	}
}

func (p *payments) durably(server bool) bool { return p.committed || !server && p.fsyncs >= 3 }

// faults are those of the n-th call. A read or write of a server that fails is a connection that was dropped: nobody
// knows whether the server took what was sent before.
func (p payingRun) faults(call string, n int) []point {
	out := []point{{call, "signal=KILL", n}}
	switch {
	case p.server != nil && (call == "read" || call == "write" || call == "connect"):
		out = append(out, point{call, "error=ECONNRESET", n})
	case slices.Contains(changingCalls, call):
		out = append(out, point{call, "error=EIO", n}, point{call, "error=ENOSPC", n})
	}
	return out
}

// try runs the command with one fault and looks at what stands.
func (p payingRun) try(t *testing.T, strace string, at point, found *trials) {
	place := p.copied(t)
	where := fmt.Sprintf("%s %s %s %d", p.name, at.fault, at.call, at.n)
	stdout, stderr, err := p.traced(strace, place, "-o", os.DevNull, "-e", "trace="+at.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", at.call, at.fault, at.n))
	if found.runs.Add(1); err != nil {
		found.stopped.Add(1)
	}
	crashed := strings.Contains(stderr, "runtime: netpollBreak write failed") // the fault met a call of the runtime
	if err != nil && at.fault != "signal=KILL" && !crashed && !strings.Contains(stderr, "dither: ") {
		t.Errorf("%s: got %v and %q, want an error in words", where, err, stderr)
	}
	inPlace.Lock()
	defer inPlace.Unlock()
	share, began := p.reopened(t, place, where, found)
	most, steps := p.released(t, place, stdout)
	switch {
	case most && share < p.full*(1-1e-9), steps > began:
		found.under.Add(1)
		t.Errorf("%s: the ledger counts the share %g and %d releases, want %g, or %d of a checkpoint: %v; it said %q", where, share, began, p.full, steps, treeOf(t, place), stdout+stderr)
	case !most && steps == 0 && share > 0:
		found.over.Add(1)
	}
	p.verified(t, place, where)
	p.again(t, place, where)
}

// reopened returns what the ledger counts, after a repair where it asks for one.
func (p payingRun) reopened(t *testing.T, place, where string, found *trials) (share float64, began int) {
	if _, stdout, stderr := invoke("ledger", "show", p.ledger(place)); strings.Contains(stdout+stderr, "dither ledger repair") {
		found.repaired.Add(1)
		mustInvoke(t, "ledger", "repair", filepath.Join(place, "people.ledger"))
		if a := accountOf(t, filepath.Join(place, "people.ledger")); a.Left != 0 {
			t.Errorf("%s: a repaired ledger has %v left, want nothing", where, a.Left)
		}
		return p.full, 1 << 20
	}
	return p.spentShare(t, place)
}

// spentShare returns the share that a ledger counts of its runs, and how many releases the runs may have begun.
func (p payingRun) spentShare(t *testing.T, place string) (share float64, began int) {
	b, err := bookkeeping.Open(t.Context(), p.ledger(place))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, r := range b.Summary().Releases {
		if share += r.Share; r.Outcome == budget.Stopped {
			began += r.Begun
		} else {
			began += 1 << 20
		}
	}
	return share, began
}

// results are the names of the files in a folder.
func (p payingRun) results(folder string) (names []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// released reports whether a number that the whole run released may stand anywhere, and else how many releases a
// checkpoint holds. Files that the run wrote count from their first byte on.
func (p payingRun) released(t *testing.T, place, stdout string) (most bool, releases int) {
	err := filepath.WalkDir(place, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		switch name := e.Name(); {
		case err != nil || info.Size() == 0 || strings.HasPrefix(name, "people.") || name == "probe" || name == "spent.json" || filepath.Base(filepath.Dir(path)) == "model":
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), "dither check") {
			most = true
			return err
		}
		if c, failed := neural.ReadCheckpoint(path); failed == nil {
			releases = max(releases, 1+c.Taken) // the noisy number of records comes first
		} else { // half of one that the next steps may stand in
			releases = max(releases, 1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return most || stdout != "", releases
}

// verified holds that each folder which verifies is whole, and counted.
func (p payingRun) verified(t *testing.T, place, where string) {
	folders, _ := filepath.Glob(filepath.Join(place, "*", certificate.FileName))
	hidden, _ := filepath.Glob(filepath.Join(place, ".*", certificate.FileName))
	for _, path := range append(folders, hidden...) {
		folder := filepath.Dir(path)
		if filepath.Base(folder) == "model" { // the one that is measured
			continue
		}
		if status, _, _ := invoke("verify", folder); status != exitDone {
			continue
		}
		if names := p.results(folder); !slices.Equal(names, p.made) {
			t.Errorf("%s: %s verifies with %v, want %v", where, folder, names, p.made)
		}
		mustInvoke(t, "verify", folder, "--ledger", p.ledger(place))
	}
	if display.Exists(filepath.Join(place, "out", "model.json")) && !slices.Contains(folders, filepath.Join(place, "out", certificate.FileName)) {
		t.Errorf("%s: half a model stands: %v", where, treeOf(t, place))
	}
}

// again runs the same command in the same folder, which works or says what to do, and then another one, which works.
func (p payingRun) again(t *testing.T, place, where string) {
	resumes := slices.Contains(p.args, "--resume")
	paths := func(suffix string) []string {
		args := slices.Concat(p.args, p.inputs(place))
		for i, arg := range args {
			switch {
			case arg == "state" && resumes, arg == "model", strings.HasPrefix(arg, "people."):
				args[i] = filepath.Join(place, arg)
			case arg == "state" || arg == "out":
				args[i] = filepath.Join(place, arg+suffix)
			}
		}
		return args
	}
	if status, _, stderr := invoke(paths("")...); status != exitDone && !strings.Contains(stderr, "give another --out") && !strings.Contains(stderr, "name another one, or go on from it with --resume") {
		t.Errorf("%s: the same command again: got %d and %q, want it done or what to do", where, status, stderr)
	}
	before, _ := p.spentShare(t, place)
	if status, _, stderr := invoke(paths("-next")...); status != exitDone {
		if a := accountOf(t, p.ledger(place)); a.Left > 0 {
			t.Errorf("%s: the next command: got %d and %q, want it done", where, status, stderr)
		}
	} else if after, _ := p.spentShare(t, place); !resumes && after < before+p.full*(1-1e-9) {
		t.Errorf("%s: the next command is counted %g, want %g", where, after-before, p.full)
	}
}
