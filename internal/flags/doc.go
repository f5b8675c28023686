// Package flags gives a family of commands the common parts of flags and arguments: shell
// completion, suggestions for mistyped names, and help texts by theme. The commands define the
// flags themselves.
package flags

import "github.com/spf13/cobra"

// Walk visits a command and all below it.
func Walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		Walk(below, visit)
	}
}
