package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the longest line in the flags of a help text. Narrower terminals get shorter lines.
const helpWidth = 100

// Theme is a theme of flags and the names of these flags. Names are separated by spaces, in the
// order of a help text.
type Theme [2]string

// Arrange gives the commands in first, below root, help texts by theme: the command's flags in
// first, then the flags of each theme. The width is the width of the terminal; lines have at most
// 100 columns.
func Arrange(root *cobra.Command, first map[string]string, themes []Theme, width int) {
	for _, c := range root.Commands() {
		if mostUsed, many := first[c.Name()]; many {
			c.SetUsageFunc(func(c *cobra.Command) error {
				_, err := c.OutOrStdout().Write([]byte(Usage(c, mostUsed, themes, min(helpWidth, width))))
				return err
			})
		}
	}
}

// Usage returns the part of a help text after the description: usage, examples, and flags by theme.
// The flags in first come before all others.
func Usage(c *cobra.Command, first string, themes []Theme, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	shown := map[string]bool{}
	for _, group := range append([]Theme{{"Most used", first}}, themes...) {
		flags := pflag.NewFlagSet(group[0], pflag.ContinueOnError)
		flags.SortFlags = false
		for name := range strings.FieldsSeq(group[1]) {
			if f := c.LocalFlags().Lookup(name); f != nil && !shown[name] {
				flags.AddFlag(f)
				shown[name] = true
			}
		}
		if flags.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", group[0], flags.FlagUsagesWrapped(width))
		}
	}
	return b.String()
}
