package main

import (
	"strings"
	"testing"
)

// TestQueryPage runs the commands of the page and compares their outputs: the rows of answers by their names,
// since their numbers are random, and everything else word by word.
func TestQueryPage(t *testing.T) { checkPage(t, "../../docs/query.md", 7, sameButAnswers) }

// TestReadmeQuery does so for the command in the README.
func TestReadmeQuery(t *testing.T) { checkPage(t, "../../README.md", 1, sameButAnswers) }

// sameButAnswers compares outputs but for the numbers of answers.
func sameButAnswers(got, want string) bool {
	return sameWords(withoutAnswers(got), withoutAnswers(want))
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
