package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
)

// version is the program's version in models, certificates and release archives.
const version = artefact.Version

// program returns this program's name in artefacts.
func program() string { return artefact.Program }

const versionLong = `Print what this program is: the version that models and certificates name, the state of the
source that it was built from, the Go version, and the level of processor instructions that its kernels
use: portable, avx2, avx512 or avx512-vnni. Last come the databases that it reads, and its MPI library.

A "modified" source differs from the commit. The level is the best one that the system has;
DITHER_PROCESSOR=portable, say, lowers it. Exact results, as sums that are released, do not depend on it.`

func newVersion() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Annotations: map[string]string{together.Several: "yes"}, Use: "version", Short: "Print what this program is", Long: versionLong, Example: "  dither version\n  dither version --json", Args: arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			about := process.AboutOf(program(), info)
			about.Databases, about.MPI = tabular.Databases(), together.Library()
			if asJSON {
				return writeJSON(c.OutOrStdout(), about)
			}
			return writeAll(c.OutOrStdout(), about.Text())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
