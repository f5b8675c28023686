package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/flags"
	"github.com/ditherml/dither/internal/values"
	"github.com/spf13/cobra"
)

// TestCompletionScripts wants a script for each shell that asks the program for completions.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script, _ := mustInvoke(t, "completion", shell); !strings.Contains(script, "__complete") || !strings.Contains(script, "dither") {
			t.Errorf("%s: got %d bytes, want a script that asks dither __complete", shell, len(script))
		}
	}
	if help, _ := mustInvoke(t, "--help"); !strings.Contains(help, "\n  completion ") {
		t.Errorf("got %q, want the command completion in the list", help)
	}
}

// completions are the words that the shell would offer for a command line, without what each means.
func completions(t *testing.T, args ...string) []string {
	t.Helper()
	text, _ := mustInvoke(t, append([]string{"__complete"}, args...)...)
	var offered []string
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(word, ":") {
			break
		}
		offered = append(offered, word)
	}
	return offered
}

// TestCompletedValues wants what a person would look for, and nothing where nobody can know.
func TestCompletedValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, folder := range []string{"model-a", "model-b", "other"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if folder != "other" {
			writeText(t, filepath.Join(folder, certificate.FileName), "{}")
		}
	}
	for _, c := range []struct {
		args     []string
		want     string // is among the offered words; "" for no words
		unwanted string
	}{
		{[]string{"train", "--method", ""}, "objective-perturbation", ""},
		{[]string{"train", "--loss", ""}, "one-vs-rest", ""},
		{[]string{"train", "--clipping-rule", ""}, "flat", ""},
		{[]string{"train", "--neighboring", ""}, "replace-one", ""},
		{[]string{"train", "--data", "built"}, "builtin:randhie", ""},
		{[]string{"train", "--data", ""}, "", ""},
		{[]string{"train", "--epsilon", ""}, "", ""},
		{[]string{"train", "--clipp"}, "--clipping-norm", "--epsilon"},
		{[]string{"evaluate", "--noise", ""}, "gaussian", "discrete"},
		{[]string{"query", "--noise", ""}, "discrete", ""},
		{[]string{"query", ""}, "quantiles", ""},
		{[]string{"query", "mean", ""}, "", ""},
		{[]string{"data", "show", ""}, "randhie", ""},
		{[]string{"verify", ""}, "model-b", "other"},
		{[]string{"verify", "./mod"}, "./model-a", "model-a"},
		{[]string{"verify", "no/such"}, "", ""},
		{[]string{"predict", "model-a", "builtin:"}, "builtin:randhie", "model-b"},
		{[]string{"diagnose", "--model", ""}, "model-a", "mlp"},
		{[]string{"train", "--model", ""}, "mlp", "model-a"},
		{[]string{"acc"}, "account", ""},
		{[]string{"ledger", "me"}, "merge", "show"},
		{[]string{"ledger", "price", "any.ledger", ""}, "model-a", "other"},
		{[]string{"ledger", "show", ""}, "", ""},
		{[]string{"ledger", "create", "--filter", ""}, "zcdp", ""},
		{[]string{"reproduce", ""}, "book", ""},
		{[]string{"reproduce", "book", ""}, "composition", ""},
		{[]string{"reproduce", "--data", "built"}, "", ""},
		{[]string{"sweep", "--clipping-rule", ""}, "flat", ""},
		{[]string{"explain", "eps"}, "epsilon", "delta"},
		{[]string{"explain", "model"}, "model-b", "other"},
	} {
		offered := completions(t, c.args...)
		if (c.want == "") != (len(offered) == 0) || c.want != "" && !slices.Contains(offered, c.want) || slices.Contains(offered, c.unwanted) {
			t.Errorf("dither %q: got %q offered, want %q among them and not %q", c.args, offered, c.want, c.unwanted)
		}
	}
}

// TestCompletedFlagsExist wants every flag with values to be one of some command, whose help says each of
// its values: a name that has changed must change in both.
func TestCompletedFlagsExist(t *testing.T) {
	var all []*cobra.Command
	flags.Walk(newRoot(nil, nil), func(c *cobra.Command) { all = append(all, c) })
	for key, values := range values.OfFlags {
		command, name, own := strings.Cut(key, " --")
		having := all
		if own {
			having = slices.DeleteFunc(slices.Clone(all), func(c *cobra.Command) bool { return c.Name() != command })
		} else {
			name = key
		}
		usage := usageOf(having, name)
		if usage == "" {
			t.Errorf("%s: got no command with this flag", key)
		}
		for _, value := range values() {
			word, _, _ := strings.Cut(value, "\t")
			if !slices.Contains(silentFlags, name) && !strings.Contains(usage, strings.TrimSuffix(word, "0.2")) {
				t.Errorf("--%s: the help does not say %q, which completion offers: %s", name, word, usage)
			}
		}
	}
}

// silentFlags are flags whose help names some of their values only.
var silentFlags = []string{"feature-bits"}

// usageOf joins the help and the defaults of a flag.
func usageOf(commands []*cobra.Command, flag string) string {
	var b strings.Builder
	for _, c := range commands {
		if f := c.Flags().Lookup(flag); f != nil {
			b.WriteString(f.Usage + " " + f.DefValue + "\n")
		}
	}
	return b.String()
}
