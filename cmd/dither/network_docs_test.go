package main

import (
	"strings"
	"testing"
)

// TestNetworkPage runs the commands of the page, none of which draws noise, and compares their outputs word by word, but
// for the last line, which depends on the number of processors.
func TestNetworkPage(t *testing.T) {
	checkPage(t, "../../docs/networks.md", 2, func(got, want string) bool {
		got, gotTime, has := strings.Cut(got, "\nabout ")
		want, wantTime, had := strings.Cut(want, "\nabout ")
		return has && had && sameWords(got, want) && strings.Contains(gotTime, " of memory") == strings.Contains(wantTime, " of memory")
	})
}
