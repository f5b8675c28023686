package process

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/kernel"
)

// About is the output of dither version. Facts that the build lacks are left out.
type About struct {
	Program string `json:"program"`
	Module  string `json:"module,omitempty"`
	// ModuleVersion is the version of the module from the go command: a tag, or one made from the
	// time and the commit.
	ModuleVersion string `json:"module-version,omitempty"`
	Commit        string `json:"commit,omitempty"`
	CommitTime    string `json:"commit-time,omitempty"`
	// Modified is nil if it is unknown.
	Modified *bool  `json:"modified,omitempty"`
	Tags     string `json:"tags,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Kernels  string `json:"kernels"`
	// Databases are the names of the databases that the program reads. AboutOf leaves them out.
	Databases []string `json:"databases,omitempty"`
	// MPI is the library that connects ranks. AboutOf leaves it out.
	MPI string `json:"mpi,omitempty"`
}

// AboutOf returns the facts in the build information, which may be nil, about the program of this
// name.
func AboutOf(program string, info *debug.BuildInfo) About {
	a := About{Program: program, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernels: kernel.Instructions()}
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

// Text returns the lines for a terminal.
func (a About) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", a.Program)
	for _, line := range [][2]string{{"module", strings.TrimSpace(a.Module + " " + a.ModuleVersion)}, {"source", a.source()}, {"tags", a.Tags},
		{"go", a.Go}, {"platform", a.Platform}, {"kernels", a.Kernels}, {"databases", strings.Join(a.Databases, ", ")}, {"mpi", a.MPI}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-9s %s\n", line[0], display.Printable(line[1]))
		}
	}
	return b.Bytes()
}

// source describes the source that the program was built from.
func (a About) source() string {
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
