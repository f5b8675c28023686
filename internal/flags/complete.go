package flags

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Complete sets the shell completion of arguments and flags of all commands below root. Arguments
// are by the path of a command, in order; the last one also completes later arguments. The function
// flag returns the completion of a command's flag. It is nil for a flag with too many values to
// list, where the shell completes file names.
func Complete(root *cobra.Command, arguments map[string][]cobra.CompletionFunc, flag func(c *cobra.Command, name string) cobra.CompletionFunc) {
	Walk(root, func(c *cobra.Command) {
		if values := arguments[c.CommandPath()]; len(values) > 0 {
			c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
				return values[min(len(args), len(values)-1)](c, args, word)
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if values := flag(c, f.Name); values != nil {
				// The only error is that the flag has a function already, which it keeps.
				_ = c.RegisterFlagCompletionFunc(f.Name, values)
			}
		})
	})
}

// Among completes one of a few values.
func Among(values func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveDefault
	}
}

// Beginning completes one of many values that begins with the word, or files if none does.
func Beginning(values func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, name := range values() {
			if strings.HasPrefix(name, word) {
				names = append(names, name)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

// Nothing completes nothing, for values that cannot be known.
func Nothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// Folders completes folders.
func Folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// FoldersWith completes a folder that holds a file of this name and begins with the word, else
// folders.
func FoldersWith(file string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
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
			if _, err = os.Stat(filepath.Join(parent, e.Name(), file)); err == nil {
				found = append(found, parent+e.Name())
			}
		}
		if len(found) == 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// Either completes the offers of either of two functions, else files.
func Either(a, b cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		found, _ := a(c, args, word)
		more, _ := b(c, args, word)
		return append(found, more...), cobra.ShellCompDirectiveDefault
	}
}
