// Package flags gives a family of commands what their flags and arguments share: shell completion,
// suggestions for mistyped names, and help texts by theme. Which flags there are is the commands'
// own affair.
package flags

import "github.com/spf13/cobra"

// Walk visits a command and all below it.
func Walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		Walk(below, visit)
	}
}
