package training

import (
	"strings"
	"testing"
)

// TestPairsOf wants blanks around names to be no part of them, and blanks inside a name to stay.
func TestPairsOf(t *testing.T) {
	for words, want := range map[string]string{
		"age*sex,hours*job":                            `{"pairs":[["age","sex"],["hours","job"]]}`,
		" age * hours per week ,\thours per week*job ": `{"pairs":[["age","hours per week"],["hours per week","job"]]}`,
		"age * * job":                                  `{"pairs":[["age","","job"]]}`,
		"all":                                          `{"pairs":"all"}`,
		"bins":                                         `{"pairs":"none"}`,
	} {
		specs, err := Transforms(words, nil)
		if err != nil || len(specs) != 1 || string(specs[0].Parameters) != want {
			t.Errorf("%q: got %s, error %v, want %s", words, specs, err, want)
		}
	}
	for _, words := range []string{"", " all", "age sex", "age, sex"} {
		if _, err := Transforms(words, nil); err == nil || !strings.Contains(err.Error(), "pairs of columns such as age*sex") {
			t.Errorf("%q: got error %v, want one that says what pairs are", words, err)
		}
	}
}
