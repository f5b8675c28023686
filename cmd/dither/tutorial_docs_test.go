package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gapLine stands on a page for lines of the output that it leaves out.
const gapLine = "..."

// randomFigure is a number in an output that noise makes random: figure finds it in the output that has the mark, and
// stated is how the page states its interval.
type randomFigure struct {
	mark, figure string
	low, high    float64
	stated       string
}

// random are those of the tutorial, which says how improbable a run outside of an interval is.
var random = []randomFigure{
	{"model      model\n", `  accuracy +([0-9.]+) %`, 69, 75, "| accuracy | 72.1 % | 0.4 % | 69 % and 75 % |"},
	{"model      model\n", `  area under the curve +([0-9.]+)`, 0.7, 0.76, "| area under the curve | 0.729 | 0.004 | 0.70 and 0.76 |"},
	{"model      model\n", `  log-loss \(nats\) +([0-9.]+)`, 0.52, 0.58, "| log-loss | 0.551 | 0.004 | 0.52 and 0.58 |"},
	{"from one noisy release\n", `  accuracy +([0-9.]+) %`, 68, 76, "| accuracy | 0.6 % | 68 % and 76 % |"},
	{"from one noisy release\n", `  area under the curve +([0-9.]+)`, 0.66, 0.8, "| area under the curve | 0.010 | 0.66 and 0.80 |"},
	{"from one noisy release\n", `  records +([0-9]+)`, 4000, 4360, "| number of records, 4181 in truth | 28 | 4000 and 4360 |"},
}

// TestTutorial runs the commands of the page one after the other in a new folder. Outputs are compared word by word,
// where noise makes them random without numbers; those are held to the intervals of the page.
func TestTutorial(t *testing.T) {
	page, err := filepath.Abs("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(string(text)), " ")
	t.Chdir(t.TempDir())
	found := 0
	checkPage(t, page, 10, func(got, want string) bool {
		noisy := false
		for _, r := range random {
			if strings.Contains(got, r.mark) {
				noisy = true
				found += r.within(t, got, said)
			}
		}
		return agreesWithGaps(got, want, noisy)
	})
	if !*update && found != len(random) {
		t.Errorf("got %d random figures, want %d", found, len(random))
	}
}

// within holds a figure in an output to its interval, which the page must state.
func (r randomFigure) within(t *testing.T, output, page string) int {
	t.Helper()
	if !strings.Contains(page, r.stated) {
		t.Errorf("the page does not say %q", r.stated)
	}
	match := regexp.MustCompile(r.figure).FindStringSubmatch(output)
	if match == nil {
		t.Errorf("got\n%s\nwant a figure as in %q", output, r.figure)
		return 0
	}
	if v, err := strconv.ParseFloat(match[1], 64); err != nil || !(v >= r.low && v <= r.high) {
		t.Errorf("%s: got %v (%v), want %v to %v", r.figure, match[1], err, r.low, r.high)
	}
	return 1
}

// runPattern finds what differs from run to run in a certificate, and numberPattern numbers.
var (
	runPattern    = regexp.MustCompile(`[0-9a-f]{32}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z`)
	numberPattern = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
)

// agreesWithGaps compares an output with one on a page that may leave lines out, numbers aside if they are random.
func agreesWithGaps(got, want string, noisy bool) bool {
	plain := func(text string) []string {
		text = runPattern.ReplaceAllString(text, "RUN")
		if noisy {
			text = numberPattern.ReplaceAllString(text, "N")
		}
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	left, gap := plain(got), false
	for _, line := range plain(want) {
		if line == gapLine {
			gap = true
			continue
		}
		for gap && len(left) > 0 && !sameWords(left[0], line) {
			left = left[1:]
		}
		if len(left) == 0 || !sameWords(left[0], line) {
			return false
		}
		left, gap = left[1:], false
	}
	return gap || len(left) == 0
}

func TestAgreesWithGaps(t *testing.T) {
	const output = "one 1\ntwo 2.5 %\n\nfour 4\n"
	for _, c := range []struct {
		want        string
		noisy, same bool
	}{
		{output, false, true}, {"one 1\n...\n", false, true}, {"...\nfour 4\n", false, true}, {"one 1\n...\nfour 4\n", false, true},
		{"one 1\nfour 4\n", false, false}, {"one 1\n", false, false}, {"...\nfive 5\n", false, false}, {"...\none 1\n", false, false},
		{"one 3\ntwo 7 %\n\nfour 44\n", true, true}, {"one 3\ntwo 7 %\n\nfour 44\n", false, false}, {"one 3\n...\nfive 4\n", true, false},
	} {
		if got := agreesWithGaps(output, c.want, c.noisy); got != c.same {
			t.Errorf("%q (noisy %v): got %v, want %v", c.want, c.noisy, got, c.same)
		}
	}
}

// TestTutorialSaysWhatWasComputed wants every number with a decimal point in the sentences of the tutorial to be one of
// its outputs, rounded. Paragraphs on the spread of many runs are left out, and so is what stands as code.
func TestTutorialSaysWhatWasComputed(t *testing.T) {
	text, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	var outputs []float64
	parts := strings.Split(string(text), "```")
	for i := 1; i < len(parts); i += 2 {
		for _, number := range numberPattern.FindAllString(parts[i], -1) {
			v, _ := strconv.ParseFloat(number, 64) // the pattern is that of a number
			outputs = append(outputs, v)
		}
	}
	checked := 0
	for i := 0; i < len(parts); i += 2 {
		for _, paragraph := range strings.Split(regexp.MustCompile("`[^`]*`").ReplaceAllString(parts[i], ""), "\n\n") {
			if strings.Contains(paragraph, "standard deviation") {
				continue
			}
			for _, number := range regexp.MustCompile(`[0-9]+\.[0-9]+`).FindAllString(paragraph, -1) {
				checked++
				_, decimals, _ := strings.Cut(number, ".")
				if !slices.ContainsFunc(outputs, func(v float64) bool { return strconv.FormatFloat(v, 'f', len(decimals), 64) == number }) {
					t.Errorf("the page says %s, which no output on it rounds to: %s", number, paragraph)
				}
			}
		}
	}
	if checked < 8 {
		t.Errorf("got %d numbers in sentences, want 8 or more", checked)
	}
}
