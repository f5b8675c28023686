package main

import (
	"os"
	"strings"
	"testing"
)

const queryPage = "../../docs/query.md"

// TestQueryPage runs the commands of the page and compares their outputs: the rows of answers by their names,
// since their numbers are random, and everything else word by word.
func TestQueryPage(t *testing.T) {
	text, err := os.ReadFile(queryPage)
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
		parts[i] = "console\n" + line + "\n" + got
		if !*update && !sameWords(withoutAnswers(got), withoutAnswers(output)) {
			t.Errorf("%s: the page has\n%s\ngot\n%s", line, output, got)
		}
	}
	if commands < 4 {
		t.Errorf("got %d commands on the page, want at least 4", commands)
	}
	if *update {
		if err = os.WriteFile(queryPage, []byte(strings.Join(parts, "```")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutAnswers leaves the name of each row of answers, which are indented by two spaces and have four
// columns behind the name.
func withoutAnswers(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if cells := strings.Fields(line); strings.HasPrefix(line, "  ") && len(cells) > 4 && cells[0] != "answer" {
			line = strings.Join(cells[:len(cells)-4], " ") + " 4 numbers\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
