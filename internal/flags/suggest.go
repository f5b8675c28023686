package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mostEdits is the largest number of edits between a name and a suggestion.
const mostEdits = 2

// Suggest makes a command suggest the nearest known name for an unknown one, and say what a flag wants
// that has a wrong value.
func Suggest(root *cobra.Command) {
	Walk(root, func(c *cobra.Command) {
		if c.HasSubCommands() {
			c.Args = knownCommand
		}
		if own := c.Args; own != nil {
			c.Args = func(c *cobra.Command, args []string) error { return apart(c, args, own(c, args)) }
		}
		c.SetFlagErrorFunc(inWords)
	})
}

// apart adds to an error about arguments that the value of a flag may be among them: true or false after a flag
// that needs no value.
func apart(c *cobra.Command, args []string, err error) error {
	if err == nil || !slices.Contains(args, "true") && !slices.Contains(args, "false") {
		return err
	}
	name := ""
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" && name == "" {
			name = f.Name
		}
	})
	if name == "" {
		return err
	}
	return fmt.Errorf("%w; a value of --%s stands after an equals sign, as in --%s=false", err, name, name)
}

// knownCommand refuses arguments of a command that only has subcommands.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q, want one of %s%s", args[0], c.CommandPath(), strings.Join(names, ", "), meant(args[0], names, ""))
}

// inWords puts errors about an unknown flag or a wrong value into words.
func inWords(c *cobra.Command, err error) error {
	switch e := err.(type) {
	case *pflag.NotExistError:
		return knownFlag(c, e)
	case *pflag.InvalidValueError:
		return Wrong(e)
	}
	return err
}

// wanted are the words for values of flags by their types.
var wanted = map[string]string{
	"bool":         "true or false",
	"int":          "an integer",
	"uint64":       "an integer that is not negative",
	"float64":      "a number",
	"float64Slice": "numbers separated by commas",
	"duration":     "a time such as 90s or 10m",
}

// Wrong returns the error about a wrong value of a flag with the flag, the value and what is wanted. Any
// other error is returned as it is.
func Wrong(err error) error {
	e, is := err.(*pflag.InvalidValueError)
	if !is || wanted[e.GetFlag().Value.Type()] == "" {
		return err
	}
	want := wanted[e.GetFlag().Value.Type()]
	if errors.Is(e, strconv.ErrRange) {
		want += " nearer to zero"
	}
	return fmt.Errorf("--%s is %q, want %s", e.GetFlag().Name, e.GetValue(), want)
}

// knownFlag adds the nearest flag to the error about an unknown one.
func knownFlag(c *cobra.Command, unknown *pflag.NotExistError) error {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	name := unknown.GetSpecifiedName()
	return fmt.Errorf("unknown flag --%s for %q, want one of those that %s --help lists%s", name, c.CommandPath(), c.CommandPath(), meant(name, names, "--"))
}

// meant returns a question for the nearest name, or "" if none is near.
func meant(name string, names []string, prefix string) string {
	best, least := "", mostEdits+1
	for _, n := range names {
		if d := edits(name, n); d < least && d < len(n) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", prefix, best)
}

// edits returns the least number of insertions, deletions, replacements and swaps of neighbors that
// turn a into b (F. Damerau, "A technique for computer detection and correction of spelling
// errors", CACM 1964). Each letter changes at most once.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case s[i-1] == t[j-1]:
				rows[i][j] = rows[i-1][j-1]
				continue
			}
			rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
