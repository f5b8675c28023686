package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the outputs of the commands in docs and README")

// checkPage runs the commands of a page, of which there are at least so many, and compares their outputs by
// agrees; with -update it writes them to the page, but for outputs of which the page leaves lines out. A command stands in a block of its own that begins with
// "console", in a line that begins with "$ dither".
func checkPage(t *testing.T, page string, least int, agrees func(got, want string) bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "```")
	commands := 0
	for i, part := range parts {
		line, output, _ := strings.Cut(strings.TrimPrefix(part, "console\n"), "\n")
		command, ok := strings.CutPrefix(line, "$ dither ")
		if i%2 == 0 || !ok {
			continue
		}
		commands++
		got, _ := mustInvoke(t, words(command)...)
		if !strings.Contains(output, "\n"+gapLine+"\n") { // a page keeps what it leaves out
			parts[i] = "console\n" + line + "\n" + got
		}
		if !*update && !agrees(got, output) {
			t.Errorf("%s: the page has\n%s\ngot\n%s", line, output, got)
		}
	}
	if commands < least {
		t.Errorf("got %d commands on %s, want at least %d", commands, page, least)
	}
	if *update {
		if err = os.WriteFile(page, []byte(strings.Join(parts, "```")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
