package values

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/flags"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/reproduce"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/query"
)

// These complete arguments and flags that name files.
var (
	modelFolders = flags.FoldersWith(certificate.FileName)
	anyFile      = flags.Among(func() []string { return nil })
	schemaFiles  = cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
)

// tableFiles completes a table: built-in tables that begin with the word, else files.
func tableFiles(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if word == "" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return flags.Beginning(func() []string { return builtinNames(tabular.Prefix) })(c, args, word)
}

// builtinNames returns the built-in data sets with their titles.
func builtinNames(prefix string) []string {
	var names []string
	for _, s := range builtin.List() {
		names = append(names, prefix+s.Name+"\t"+s.Title)
	}
	return names
}

// reproductionChoices returns the experiments of the literature with their titles.
func reproductionChoices() []string {
	var names []string
	for _, r := range reproduce.Reproductions() {
		names = append(names, r.Name+"\t"+r.Title)
	}
	return names
}

// OfArguments returns the completions of commands' arguments, in order. The last one also
// completes all later arguments.
func OfArguments() map[string][]cobra.CompletionFunc {
	set := flags.Among(func() []string { return builtinNames("") })
	return map[string][]cobra.CompletionFunc{
		"dither account":      {modelFolders},
		"dither audit":        {modelFolders, flags.Nothing},
		"dither evaluate":     {modelFolders, tableFiles},
		"dither predict":      {modelFolders, tableFiles},
		"dither export":       {modelFolders, flags.Nothing},
		"dither verify":       {modelFolders},
		"dither data show":    {set},
		"dither data export":  {set, flags.Folders},
		"dither reproduce":    {flags.Among(reproductionChoices)},
		"dither query":        {flags.Among(func() []string { return Texts(query.Statistics()) }), flags.Nothing},
		"dither ledger price": {anyFile, modelFolders}, "dither ledger check": {anyFile, modelFolders}, "dither ledger import": {anyFile, modelFolders},
		"dither explain":      {flags.Either(modelFolders, flags.Beginning(glossary.Names)), flags.Nothing},
		"dither schema check": {schemaFiles, tableFiles},
	}
}

// Of returns the completion of a command's flag, or nil for a flag with too many values to
// list. If no value matches, the shell completes file names.
func Of(c *cobra.Command, name string) cobra.CompletionFunc {
	own, ok := OfFlags[c.Name()+" --"+name]
	switch {
	case ok:
		return flags.Among(own)
	case name == "model" && c.Name() == "diagnose", name == "frozen-from":
		return modelFolders
	case name == "data" && c.Name() == "reproduce":
		return flags.Folders
	case slices.Contains([]string{"data", "test"}, name):
		return tableFiles
	case name == "schema", name == "plan":
		return schemaFiles
	case OfFlags[name] != nil:
		return flags.Among(OfFlags[name])
	}
	return nil
}
