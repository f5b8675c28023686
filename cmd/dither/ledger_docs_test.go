package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/display"
)

// ledgerChance finds what differs from run to run in the outputs of dither ledger: names, hashes and times. It finds
// decimals, too, so that their digits are no hash. Months are those of the page.
var ledgerChance = regexp.MustCompile(`[0-9]+\.[0-9]+|\b[0-9a-f]{8,64}\b|[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}Z)?`)

// pageLoop is a line of a page that repeats a command for several words.
var pageLoop = regexp.MustCompile(`^for (\w+) in (.*); do (.*); done$`)

// diary runs the page of a ledger, whose headings and loops say which month it is.
type diary struct {
	t       *testing.T
	me      *regexp.Regexp // the name of the user
	started []*exec.Cmd
	shown   int // commands whose outputs are on the page
	killed  int
}

// TestLedgerPage plays the page through in order: a year in seconds. A block of yaml is a file, which its first line
// names. Blocks of sh have no output. A line that ends with "&" is a process of its own. Blocks of console compare the
// output, from which "..." leaves lines out. A word after sh or console says how commands end: "refused", "failed" or
// "killed".
func TestLedgerPage(t *testing.T) {
	page, err := filepath.Abs("../../docs/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	own, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	clock := chain.Clock
	defer func() { chain.Clock = clock }()
	d := diary{t: t, me: regexp.MustCompile(`\b` + regexp.QuoteMeta(own.Username) + `\b`)}
	parts := strings.Split(string(text), "```")
	for i, part := range parts {
		kind, body, _ := strings.Cut(part, "\n")
		how := ""
		if _, after, found := strings.Cut(kind, " "); found {
			how = after
		}
		switch {
		case i%2 == 0:
			d.turn(part)
		case kind == "yaml":
			name, _, _ := strings.Cut(strings.TrimPrefix(body, "# "), "\n")
			writeText(t, name, body)
		case strings.HasPrefix(kind, "sh"):
			for line := range strings.Lines(body) {
				d.line(strings.TrimSpace(line), how)
			}
		case strings.HasPrefix(kind, "console"):
			line, want, _ := strings.Cut(body, "\n")
			if got := d.compare(line, want, how); !strings.Contains("\n"+want, "\n"+gapLine+"\n") {
				parts[i] = kind + "\n" + line + "\n" + got
			}
		}
	}
	if d.shown < 12 || len(d.started) != 2 || d.killed != 1 {
		t.Errorf("got %d commands with outputs, %d processes and %d killed, want at least 12, 2 and 1", d.shown, len(d.started), d.killed)
	}
	if *update {
		if err = os.WriteFile(page, []byte(strings.Join(parts, "```")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// turn sets the clock to the last month that a heading of the text names, in the year 2026.
func (d *diary) turn(text string) {
	for month := time.January; month <= time.December; month++ {
		if regexp.MustCompile(`(?m)^#.*\b` + month.String() + `\b`).MatchString(text) {
			d.at(month)
		}
	}
}

// at sets the clock of this process to the middle of a month.
func (d *diary) at(month time.Month) {
	now := time.Date(2026, month, 15, 9, 30, 0, 0, time.UTC)
	chain.Clock = func() time.Time { return now }
}

// line runs a line of sh.
func (d *diary) line(line, how string) {
	d.t.Helper()
	if m := pageLoop.FindStringSubmatch(line); m != nil {
		for _, word := range strings.Fields(m[2]) {
			d.turn("# " + word)
			d.line(strings.ReplaceAll(m[3], "$"+m[1], word), how)
		}
		return
	}
	alone, apart := strings.CutSuffix(line, " &")
	command, is := strings.CutPrefix(alone, "dither ")
	switch {
	case line == "wait":
		for _, c := range d.started {
			if err := c.Wait(); err != nil && c.ProcessState == nil {
				d.t.Fatal(err)
			}
			if status := c.ProcessState.ExitCode(); status != exitDone {
				d.t.Errorf("a process of the page ended with status %d: %s", status, c.Stderr)
			}
		}
	case !is:
		d.t.Fatalf("the page has the line %q, want one that this test runs", line)
	case how == "killed":
		d.kill(words(command))
	case apart:
		d.started = append(d.started, d.start(words(command)))
	default:
		mustInvoke(d.t, words(command)...)
	}
}

// start starts a command as a process of its own.
func (d *diary) start(args []string) *exec.Cmd {
	d.t.Helper()
	c := startable(args...)
	c.Env = append(c.Env, processClock+"="+chain.Clock().Format(time.RFC3339))
	c.Stderr = &bytes.Buffer{}
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	return c
}

// kill runs a command, and kills it once it has begun to release something.
func (d *diary) kill(args []string) {
	d.t.Helper()
	c := d.start(args)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for begun := filepath.Join(args[slices.Index(args, "--out")+1], "spent.json"); !display.Exists(begun); time.Sleep(time.Millisecond) {
		select {
		case err := <-ended:
			d.t.Fatalf("the run ended before it was killed (%v): %s", err, c.Stderr)
		default:
		}
	}
	if err := c.Process.Kill(); err != nil {
		d.t.Fatal(err)
	}
	<-ended
	d.killed++
}

// compare runs the command of a line and compares its output with that of the page.
func (d *diary) compare(line, want, how string) string {
	d.t.Helper()
	command, found := strings.CutPrefix(line, "$ dither ")
	if !found {
		d.t.Fatalf("the page has the line %q, want a command", line)
	}
	d.shown++
	status, got, stderr := invoke(words(command)...)
	if ends := map[string]int{"": exitDone, "refused": exitRefused, "failed": exitFailed, "wrong": exitUsage}; status != ends[how] {
		d.t.Fatalf("%s: got exit status %d and %q, want %d", line, status, stderr, ends[how])
	}
	got = d.me.ReplaceAllString(got+stderr, "dora") // runs are by the user of the test
	plain := func(text string) string {
		return ledgerChance.ReplaceAllStringFunc(unordered(text), func(found string) string {
			if strings.Contains(found, ".") {
				return found
			}
			return "X"
		})
	}
	if !*update && !agreesWithGaps(plain(got), plain(want), false) {
		d.t.Errorf("%s: the page has\n%s\ngot\n%.4000s", line, want, got)
	}
	return got
}

// concurrentRow is a release of the two programs that run at the same time.
var concurrentRow = regexp.MustCompile(`(?m)^ +[0-9]+ +2026-08-15 .*$`)

// unordered sorts the releases of the two programs that run at the same time, and takes their numbers away.
func unordered(text string) string {
	var rows []string
	for _, row := range concurrentRow.FindAllString(text, -1) {
		rows = append(rows, strings.Join(strings.Fields(row)[1:], " "))
	}
	slices.SortFunc(rows, func(a, b string) int {
		return strings.Compare(a[len("2026-08-15 09:30"):], b[len("2026-08-15 09:30"):])
	})
	return concurrentRow.ReplaceAllStringFunc(text, func(string) string {
		row := rows[0]
		rows = rows[1:]
		return row
	})
}
