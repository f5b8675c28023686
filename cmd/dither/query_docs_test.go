package main

import (
	"os"
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

// TestQueryWithoutATarget runs the page's question about the mean of five salaries, under the page's schema of one
// column without a target. The interval may be told with another word where the noise makes the count small.
func TestQueryWithoutATarget(t *testing.T) {
	text, err := os.ReadFile("../../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	_, schema, _ := strings.Cut(string(text), "```yaml\n")
	schema, rest, found := strings.Cut(schema, "```")
	_, block, _ := strings.Cut(rest, "```console of salaries\n$ dither ")
	command, block, _ := strings.Cut(block, "\n")
	want, _, _ := strings.Cut(block, "```")
	if !found || command == "" || !strings.Contains(want, "adds up") {
		t.Fatalf("the page has the schema %q and the command %q, want both", schema, command)
	}
	t.Chdir(t.TempDir())
	writeText(t, "salaries.yaml", schema)
	writeText(t, "salaries.csv", "salary\n130530\n104141\n90385\n91919\n81334\n")
	got, _ := mustInvoke(t, words(command)...)
	got = strings.Replace(got, "interval  95 %", "interval  at least 95 %", 1)
	if !sameButAnswers(got, want) {
		t.Errorf("got\n%s\nthe page has\n%s", got, want)
	}
	for _, command := range []string{"train --data salaries.csv --schema salaries.yaml --out model", "schema check salaries.yaml salaries.csv"} {
		if status, _, stderr := invoke(words(command)...); status != exitUsage || !strings.Contains(stderr, "the schema has no target") {
			t.Errorf("%s: got status %d and %q, want a refusal that names the target", command, status, stderr)
		}
	}
}
