package main

import (
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ledgerChance finds what differs from run to run in the outputs of dither ledger: names, hashes and times.
var ledgerChance = regexp.MustCompile(`\b[0-9a-f]{8,64}\b|[0-9]{4}-[0-9]{2}(-[0-9]{2}( [0-9]{2}:[0-9]{2})?)?`)

// TestLedgerPage runs the commands of the page in order, and compares their outputs. Blocks of sh have no output on
// the page. Blocks with "refused" end with the exit status of a refusal, and show its message.
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
	me := regexp.MustCompile(`\b` + regexp.QuoteMeta(own.Username) + `\b`)
	parts := strings.Split(string(text), "```")
	shown := 0
	for i := 1; i < len(parts); i += 2 {
		kind, body, _ := strings.Cut(parts[i], "\n")
		if kind == "sh" {
			for line := range strings.Lines(body) {
				mustInvoke(t, words(strings.TrimPrefix(line, "dither "))...)
			}
			continue
		}
		line, want, _ := strings.Cut(body, "\n")
		command, found := strings.CutPrefix(line, "$ dither ")
		if !found {
			continue
		}
		shown++
		status, got, stderr := invoke(words(command)...)
		if refused := kind == "console refused"; refused != (status == exitRefused) || !refused && status != exitDone {
			t.Fatalf("%s: got exit status %d and %q", line, status, stderr)
		}
		got = me.ReplaceAllString(got+stderr, "dora") // runs are by the user of the test
		parts[i] = kind + "\n" + line + "\n" + got
		if plain := func(text string) string { return ledgerChance.ReplaceAllString(text, "X") }; !*update && !sameWords(plain(got), plain(want)) {
			t.Errorf("%s: the page has\n%s\ngot\n%s", line, want, got)
		}
	}
	if shown < 7 {
		t.Errorf("got %d commands with outputs, want at least 7", shown)
	}
	if *update {
		if err = os.WriteFile(page, []byte(strings.Join(parts, "```")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
