package main

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/internal/export"
	"github.com/ditherml/dither/internal/progress"
	"github.com/ditherml/dither/internal/values"
	"github.com/spf13/cobra"
)

func newExport() *cobra.Command {
	var request export.Request
	var out outputFlags
	c := &cobra.Command{
		Use: "export MODEL-FOLDER --to FORMAT", Short: "Write a model for other programs", Long: values.ExportLong, Example: values.ExportExample,
		Args: arguments("MODEL-FOLDER"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if export.Binary(request.Format) && out.path == "" && isTerminal(c.OutOrStdout()) {
			return fmt.Errorf("--to %s is binary and standard output is a terminal, want a file; give --out FILE", request.Format)
		}
		return out.write(c, 0o644, func(w io.Writer) error {
			file, err := progress.Await(c.Context(), c.ErrOrStderr(), "exporting", func() ([]byte, error) { return export.Folder(args[0], request) })
			if err != nil {
				return err
			}
			return writeAll(w, file)
		})
	}
	c.Flags().StringVar(&request.Format, "to", "", "`FORMAT` to write: onnx, sql, sklearn, go or safetensors")
	c.Flags().StringVar(&request.Dialect, "dialect", "", "of sql: postgres, duckdb or bigquery (default postgres)")
	c.Flags().StringVar(&request.Table, "table", "", "of sql: `TABLE` to read, as SQL names it (default "+export.DefaultTable+")")
	out.add(c, "file to write")
	return c
}
