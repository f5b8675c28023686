package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/kernel"
)

// version is the program's version, as models, certificates and release archives name it.
const version = artefact.Version

// program names this program in artefacts.
func program() string { return artefact.Program }

const versionLong = `Print what this program is: the version that models and certificates name, the state of the
source that it was built from, the Go version, and the level of processor instructions that its kernels
use: portable, avx2, avx512 or avx512-vnni.

The source is "modified" when it was built from files that differ from the commit. The level is the
best one that the processor and the operating system have; DITHER_PROCESSOR=portable, say, lowers
it. Results do not depend on it where they are exact, which sums that are released are.`

func newVersion() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "version", Short: "Print what this program is", Long: versionLong, Example: "  dither version\n  dither version --json", Args: arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			return aboutOf(info).write(c.OutOrStdout(), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// about is what dither version prints. What the build does not know is left out.
type about struct {
	Program string `json:"program"`
	Module  string `json:"module,omitempty"`
	// ModuleVersion is the version of the module as the go command knows it: a tag, or one made of the
	// time and the commit.
	ModuleVersion string `json:"module-version,omitempty"`
	Commit        string `json:"commit,omitempty"`
	CommitTime    string `json:"commit-time,omitempty"`
	// Modified is nil where it is not known.
	Modified *bool  `json:"modified,omitempty"`
	Tags     string `json:"tags,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Kernels  string `json:"kernels"`
}

// aboutOf reads the build information, which may be nil.
func aboutOf(info *debug.BuildInfo) about {
	a := about{Program: program(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernels: kernel.Instructions()}
	if info == nil {
		return a
	}
	a.Module, a.ModuleVersion = info.Main.Path, info.Main.Version
	if a.ModuleVersion == "(devel)" {
		a.ModuleVersion = ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			a.Commit = s.Value
		case "vcs.time":
			a.CommitTime = s.Value
		case "vcs.modified":
			modified := s.Value == "true"
			a.Modified = &modified
		case "-tags":
			a.Tags = s.Value
		}
	}
	return a
}

func (a about) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, a)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", a.Program)
	for _, line := range [][2]string{{"module", strings.TrimSpace(a.Module + " " + a.ModuleVersion)}, {"source", a.source()}, {"tags", a.Tags},
		{"go", a.Go}, {"platform", a.Platform}, {"kernels", a.Kernels}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-9s %s\n", line[0], printable(line[1]))
		}
	}
	return writeAll(w, b.Bytes())
}

// source says from what the program was built.
func (a about) source() string {
	if a.Commit == "" {
		return "not known: built outside of a checkout"
	}
	text := "commit " + a.Commit
	if a.CommitTime != "" {
		text += " of " + a.CommitTime
	}
	if a.Modified != nil && *a.Modified {
		text += ", modified"
	}
	return text
}
