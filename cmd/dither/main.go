// Command dither trains models with differential privacy from tables, serves them, and recomputes
// their cost.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/flags"
	"github.com/ditherml/dither/internal/process"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/ledger"
	"github.com/spf13/cobra"
)

// These are the exit statuses.
const (
	exitDone    = 0
	exitFailed  = 1 // failed while running
	exitUsage   = 2 // the command line, a schema or a file is wrong
	exitRefused = 3 // refused by the budget
)

func main() {
	process.KeepMemoryPrivate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT) // SIGQUIT would otherwise print stacks
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	if err = together.Told(ctx, c.Annotations, err); err == nil {
		return exitDone
	}
	if !together.IsSilent(err) {
		fmt.Fprintln(stderr, "dither:", display.OneLine(display.Redact(fields.Replace(err.Error()))))
	}
	return status(err)
}

// status returns the exit status of an error. An error is one of usage unless it is marked
// otherwise.
func status(err error) int {
	switch {
	case errors.Is(err, ledger.ErrOverBudget):
		return exitRefused
	case failure.IsRunning(err):
		return exitFailed
	}
	return exitUsage
}

// commands is the table of commands. A new command takes one file and one line here.
var commands = []func() *cobra.Command{
	newTrain, newPredict, newExport, newEvaluate, newSweep, newVerify, newSign, newDiagnose, newAudit, newQuery, newAccount, newCalibrate, newLedger, newSchema, newData, newClean, newReproduce, newExplain, newVersion,
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "dither",
		Version:       version,
		Short:         "Machine learning with differential privacy, and proof of it",
		Long:          "dither trains models from tables about persons so that each release is differentially private,\nwrites a certificate of what it cost, and recomputes that certificate.\n\nStart with: dither train",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := together.Refuse(c.CommandPath()); err != nil && c.Annotations[together.Several] == "" {
				return err
			}
			if quiet, err := c.Flags().GetBool("quiet"); isTerminal(stderr) && (err != nil || !quiet) {
				c.SetContext(tabular.WithTerminal(c.Context(), stderr))
			}
			return nil
		},
	}
	root.SetVersionTemplate(program() + "\n")
	root.SetOut(together.Output(stdout))
	root.SetErr(stderr)
	for _, command := range commands {
		root.AddCommand(command())
	}
	flags.Complete(root, values.OfArguments(), values.Of)
	flags.Arrange(root, values.MostUsed, values.Themes, pageWidth(stdout))
	flags.Suggest(root)
	return root
}
