package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/reproduce"
	"github.com/ditherml/dither/query"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// complete tells the shell completion what flags and arguments of all commands may be.
func complete(root *cobra.Command) {
	arguments := argumentValues()
	walk(root, func(c *cobra.Command) {
		if values := arguments[c.CommandPath()]; len(values) > 0 {
			c.ValidArgsFunction = inOrder(values)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if values := valuesOf(c, f.Name); values != nil {
				// The only error is that the flag has a function already, which it then keeps.
				_ = c.RegisterFlagCompletionFunc(f.Name, values)
			}
		})
	})
}

// walk visits a command and all below it.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		walk(below, visit)
	}
}

// valuesOf completes a flag of a command, nil for a flag that has too many values to list. Where nothing
// matches, the shell completes file names.
func valuesOf(c *cobra.Command, name string) cobra.CompletionFunc {
	own, ok := flagValues[c.Name()+" --"+name]
	switch {
	case ok:
		return among(own)
	case name == "model" && c.Name() == "diagnose", slices.Contains(modelNames, name):
		return modelFolders
	case name == "data" && c.Name() == "reproduce":
		return folders
	case slices.Contains(tableNames, name):
		return tableFiles
	case name == "schema", name == "plan":
		return cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	case flagValues[name] != nil:
		return among(flagValues[name])
	}
	return nil
}

// argumentValues are what completes the arguments of commands, in order; the last one also those behind it.
func argumentValues() map[string][]cobra.CompletionFunc {
	set := among(func() []string {
		var names []string
		for _, s := range builtin.List() {
			names = append(names, s.Name+"\t"+s.Title)
		}
		return names
	})
	return map[string][]cobra.CompletionFunc{
		"dither account":      {modelFolders},
		"dither evaluate":     {modelFolders, tableFiles},
		"dither predict":      {modelFolders, tableFiles},
		"dither verify":       {modelFolders},
		"dither data show":    {set},
		"dither data export":  {set, folders},
		"dither reproduce":    {among(reproductionChoices)},
		"dither query":        {among(func() []string { return texts(query.Statistics()) }), nothing},
		"dither explain":      {modelsOrTerms, nothing},
		"dither schema check": {cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt), tableFiles},
	}
}

// reproductionChoices are the experiments of the literature, with their titles.
func reproductionChoices() []string {
	var names []string
	for _, r := range reproduce.Reproductions() {
		names = append(names, r.Name+"\t"+r.Title)
	}
	return names
}

// inOrder completes each argument by the function in its place.
func inOrder(values []cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return values[min(len(args), len(values)-1)](c, args, word)
	}
}

// among completes one of a few values.
func among(values func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveDefault
	}
}

// nothing completes what nobody can know.
func nothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// tableFiles completes a table: the built-in ones that begin with the word, else files.
func tableFiles(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range builtin.List() {
		if name := "builtin:" + s.Name; word != "" && strings.HasPrefix(name, word) {
			names = append(names, name+"\t"+s.Title)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// modelFolders completes a folder with a certificate that begins with the word, else folders.
func modelFolders(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	parent, start := filepath.Split(word)
	entries, err := os.ReadDir(filepath.Clean(parent + "."))
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), start) {
			continue
		}
		if _, err = os.Stat(filepath.Join(parent, e.Name(), certificate.FileName)); err == nil {
			found = append(found, parent+e.Name())
		}
	}
	if len(found) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// modelsOrTerms completes what can be explained: model folders and terms that begin with the word, else files.
func modelsOrTerms(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	found, _ := modelFolders(c, args, word)
	for _, name := range explain.TermNames() {
		if strings.HasPrefix(name, word) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveDefault
}
