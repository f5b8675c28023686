package main

import (
	"strings"
	"testing"
)

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
