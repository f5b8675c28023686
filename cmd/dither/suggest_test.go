package main

import (
	"strings"
	"testing"
)

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"train", "train", 0}, {"trian", "train", 1}, {"tran", "train", 1}, {"traain", "train", 1}, {"brain", "train", 1}, {"", "abc", 3}, {"sweep", "train", 5}, {"ca", "abc", 3}, {"ünter", "unter", 1}} {
		if got := edits(c.a, c.b); got != c.want || edits(c.b, c.a) != got {
			t.Errorf("%q to %q: got %d edits, want %d in both directions", c.a, c.b, got, c.want)
		}
	}
}

func TestUnknownNamesAreSuggested(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"trian"}, "did you mean train?"},
		{[]string{"schema", "chek"}, "did you mean check?"},
		{[]string{"data", "shwo"}, "did you mean show?"},
		{[]string{"train", "--epsilom", "1"}, "did you mean --epsilon?"},
		{[]string{"predict", "--threshhold=1", "m", "t"}, "did you mean --threshold?"},
		{[]string{"nothing-like-it"}, "want one of"},
		{[]string{"train", "--nothing-like-it"}, "dither train --help"},
	} {
		status, _, stderr := invoke(c.args...)
		if status != exitUsage || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "did you mean") != strings.Contains(c.want, "did you mean") {
			t.Errorf("%v: status %d, %q, want %d and %q", c.args, status, stderr, exitUsage, c.want)
		}
	}
}
