package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ditherml/dither/internal/flags"
)

// TestFieldsAreFlags wants the words of each field in a file of a library, and each flag in a command.
func TestFieldsAreFlags(t *testing.T) {
	known := map[string]bool{}
	flags.Walk(newRoot(nil, nil), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
	})
	var libraries strings.Builder
	for _, folder := range []string{"data", "query", "train/erm", "internal/asking"} {
		tree := os.DirFS("../../" + folder)
		files, err := fs.Glob(tree, "*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got %d files and error %v, want some", folder, len(files), err)
		}
		for _, file := range files {
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				libraries.Write(text)
			}
		}
	}
	errorTexts := strings.Join(regexp.MustCompile("\"[^\"\n]*\"|`[^`]*`").FindAllString(libraries.String(), -1), "\n")
	for i := 0; i < len(fieldFlags); i += 2 {
		if words := fieldFlags[i]; !strings.Contains(errorTexts, words) {
			t.Errorf("no text of a library has %q, want one", words)
		}
		names := regexp.MustCompile(`--[a-z-]+`).FindAllString(fieldFlags[i+1], -1)
		if len(names) == 0 {
			t.Errorf("%q stands for no flag, want one", fieldFlags[i+1])
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("no command has the flag %s, want one", name)
			}
		}
	}
	if got := fields.Replace("leave out Source.Columns"); got != "leave out --columns" {
		t.Errorf("got %q, want the flag", got)
	}
}
