package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ditherml/dither/internal/flags"
	"github.com/ditherml/dither/internal/values"
)

// manyFlags is the largest number of flags that a help text lists without themes.
const manyFlags = 25

// flagNames are the flags of a command that its help text lists.
func flagNames(c *cobra.Command) []string {
	c.InitDefaultHelpFlag()
	var names []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// listed are the flags in lines of a help text, in order.
func listed(text string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^(?:  -., |      )--(\S+)`).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// TestThemes: every command with many flags has themes, every flag of it is in exactly one, and no theme names a
// flag that no such command has.
func TestThemes(t *testing.T) {
	count := map[string]int{}
	for _, group := range values.Themes {
		for name := range strings.FieldsSeq(group[1]) {
			count[name]++
		}
	}
	used := map[string]bool{}
	flags.Walk(newRoot(io.Discard, io.Discard), func(c *cobra.Command) {
		names := flagNames(c)
		first, themed := values.MostUsed[c.Name()]
		themed = themed && c.CommandPath() == "dither "+c.Name()
		if len(names) > manyFlags && !themed {
			t.Errorf("%s has %d flags and no row in mostUsed, want one", c.CommandPath(), len(names))
		}
		if !themed {
			return
		}
		for _, name := range names {
			used[name] = true
			if count[name] != 1 {
				t.Errorf("%s: --%s is in %d themes, want one in themes.go", c.CommandPath(), name, count[name])
			}
		}
		ten := strings.Fields(first)
		if slices.Sort(ten); len(slices.Compact(ten)) != 10 {
			t.Errorf("%s: most used are %q, want ten flags", c.CommandPath(), first)
		}
	})
	for name := range count {
		if !used[name] {
			t.Errorf("themes name --%s, want flags of commands in mostUsed", name)
		}
	}
}

// TestThemedHelp: a help text lists every flag once, the most used first, in lines that are short enough.
func TestThemedHelp(t *testing.T) {
	root := newRoot(io.Discard, io.Discard)
	for _, c := range root.Commands() {
		first, themed := values.MostUsed[c.Name()]
		if !themed {
			continue
		}
		names := flagNames(c)
		for _, width := range []int{leastWidth, 80, 100} {
			text := flags.Usage(c, first, values.Themes, width)
			_, list, found := strings.Cut(text, "\nMost used:\n")
			if !found {
				t.Fatalf("%s: there are no most used flags in %q", c.Name(), text)
			}
			got := listed(list)
			if want := strings.Fields(first); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
				t.Errorf("%s: got %q, want first %q", c.Name(), got, want)
			}
			if slices.Sort(got); !slices.Equal(got, names) {
				t.Errorf("%s: got flags %q, want each of these once: %q", c.Name(), got, names)
			}
			for line := range strings.Lines(list) {
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
					t.Errorf("%s: a line of help has %d columns, want at most %d: %q", c.Name(), n, width, line)
				}
			}
		}
		stdout, _ := mustInvoke(t, c.Name(), "--help")
		if !strings.HasSuffix(stdout, flags.Usage(c, first, values.Themes, 100)) {
			t.Errorf("%s --help does not end with its flags by theme: %q", c.Name(), stdout)
		}
	}
}
