package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

const accountPage = "../../docs/account.md"

// TestAccountPage runs the commands of the page and compares their outputs: words exactly, numbers
// to one percent, since another machine may place a bound a little elsewhere.
func TestAccountPage(t *testing.T) { checkPage(t, accountPage, 5, sameWords) }

// words splits a command line at spaces outside quotation marks.
func words(command string) []string {
	var list []string
	for i, part := range strings.Split(command, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// sameWords compares texts word by word.
func sameWords(a, b string) bool {
	return slices.EqualFunc(strings.Fields(a), strings.Fields(b), func(v, w string) bool {
		x, notX := strconv.ParseFloat(strings.TrimRight(v, ".,%;"), 64)
		y, notY := strconv.ParseFloat(strings.TrimRight(w, ".,%;"), 64)
		return v == w || notX == nil && notY == nil && math.Abs(x-y) <= 0.01*math.Abs(x)
	})
}

// TestEventTable holds the table of events to the events that can be read, and its relations to
// those under which they are proved.
func TestEventTable(t *testing.T) {
	text, err := os.ReadFile(accountPage)
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if len(cells) != 4 || !strings.HasPrefix(cells[0], "`") {
			continue
		}
		name, example := strings.Trim(cells[0], "`"), strings.Trim(cells[1], "`")
		named = append(named, name)
		e, parseErr := mechanism.ParseEvent(example)
		if parseErr != nil || !strings.HasPrefix(example, name+"(") {
			t.Errorf("%s has the example %s: %v", name, example, parseErr)
			continue
		}
		if got := provedUnder(e); got != relationsOf(cells[3]) {
			t.Errorf("%s is proved under %s, the table says %s", example, got, cells[3])
		}
	}
	slices.Sort(named)
	if named = slices.Compact(named); !slices.Equal(named, mechanism.EventNames()) {
		t.Errorf("got events %q on the page, want %q", named, mechanism.EventNames())
	}
}

// relationsOf spells out the last column for the examples of the table, whose parts are proved
// under all relations and whose statements are under the first.
func relationsOf(cell string) string {
	switch cell {
	case "all", "the relations of its event", "the relations of all its parts":
		return "add-or-remove-one, replace-one, zero-out"
	case "the relation in its argument":
		return "add-or-remove-one"
	}
	return cell
}

func provedUnder(e mechanism.Event) string {
	var proved []string
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut} {
		if mechanism.CheckNeighboring(e, n) == nil {
			proved = append(proved, n.String())
		}
	}
	return strings.Join(proved, ", ")
}
