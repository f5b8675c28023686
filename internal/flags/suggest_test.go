package flags

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
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

// TestWrongValues wants the flag, its value and what it takes in the error about a value of the wrong type.
func TestWrongValues(t *testing.T) {
	for arg, want := range map[string]string{
		"--quiet=maybe":                `--quiet is "maybe", want true or false`,
		"--quiet=":                     `--quiet is "", want true or false`,
		"--steps=1.5":                  `--steps is "1.5", want an integer`,
		"--steps=99999999999999999999": `--steps is "99999999999999999999", want an integer nearer to zero`,
		"--seed=-1":                    `--seed is "-1", want an integer that is not negative`,
		"--epsilon=much":               `--epsilon is "much", want a number`,
		"--epsilon=1e999":              `--epsilon is "1e999", want a number nearer to zero`,
		"--edges=1,b":                  `--edges is "1,b", want numbers separated by commas`,
		"--wait=soon":                  `--wait is "soon", want a time such as 90s or 10m`,
		"--quiet false":                `unknown command "false" for "x"; a value of --quiet stands after an equals sign, as in --quiet=false`,
		"--quiet some":                 `unknown command "some" for "x"`,
		"--steps 2 true":               `unknown command "true" for "x"`,
		"--quite":                      `unknown flag --quite for "x", want one of those that x --help lists; did you mean --quiet?`,
		"--steps=-3":                   "",
		"--wait=1h30m":                 "",
	} {
		c := &cobra.Command{Use: "x", Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true, Run: func(*cobra.Command, []string) {}}
		f := c.Flags()
		f.Bool("quiet", false, "")
		f.Int("steps", 1, "")
		f.Uint64("seed", 1, "")
		f.Float64("epsilon", 1, "")
		f.Float64Slice("edges", nil, "")
		f.Duration("wait", time.Second, "")
		Suggest(c)
		c.SetArgs(strings.Fields(arg))
		if err := c.Execute(); (err != nil) != (want != "") || err != nil && err.Error() != want {
			t.Errorf("%s: got error %v, want %q", arg, err, want)
		}
	}
}
