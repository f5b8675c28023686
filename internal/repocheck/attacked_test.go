package repocheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unattacked are the makers of noisy numbers that have no attack of their own, and why.
var unattacked = map[string]string{
	"Communicator.drawTogether": "it adds numbers of records, for the draw of a sample",
	"Noisy.Scaled":              "it multiplies released numbers",
	"drawAll":                   "every attack on a sum goes through it",
	"addText":                   "it adds sums, and draws nothing",
	"Communicator.gather":       "it adds sums, and draws nothing",
	"sharedPayer.release":       "it hands on what the root released",
	"seriesPart.release":        "it is a part of Series.Release",
}

// TestMakersAreAttacked wants the auditor to attack the noise of every function that makes a Bounded
// or a Noisy, by name.
func TestMakersAreAttacked(t *testing.T) {
	files, err := filepath.Glob("internal/attack/noise/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(raw)
	}
	for _, maker := range makerFunctions {
		name := strings.TrimPrefix(maker, "internal/release.")
		attacked := strings.Contains(text.String(), `maker: "`+name+`"`)
		if _, excused := unattacked[name]; attacked == excused {
			t.Errorf("%s is attacked: %v, and named as not attacked: %v; want a kind of release in internal/attack/noise, or the reason", name, attacked, excused)
		}
	}
}
