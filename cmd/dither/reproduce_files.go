package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/reproduce"
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/sweep"
)

// reproductionFiles is a folder in which results are written as they come; "" for none.
type reproductionFiles struct {
	folder  string
	replace bool
	figures int // how many results have their figures written
}

// newReproductionFiles makes the folder. One that has something in it may be used only to replace.
func newReproductionFiles(folder string, replace bool) (*reproductionFiles, error) {
	f := &reproductionFiles{folder: folder, replace: replace}
	if folder == "" {
		if replace {
			return nil, fmt.Errorf("--replace goes with --out FOLDER")
		}
		return f, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("%s cannot be made: %w; name another folder", folder, pathless(err))
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; name another folder", folder, pathless(err))
	}
	if len(entries) > 0 && !replace {
		return nil, fmt.Errorf("%s has files in it, want a new folder; give another --out, or --replace", folder)
	}
	return f, nil
}

// write writes all results so far, and the figures of those that are new.
func (f *reproductionFiles) write(results []sweep.Result) error {
	if f.folder == "" {
		return nil
	}
	for ; f.figures < len(results); f.figures++ {
		if err := f.draw(results[f.figures]); err != nil {
			return err
		}
	}
	for name, write := range map[string]func(io.Writer, []sweep.Result) error{
		"comparisons.json": reproduce.WriteJSON, "comparisons.csv": reproduce.WriteCSV,
		"comparisons.md": func(w io.Writer, all []sweep.Result) error { return reproduce.WriteMarkdown(w, all, "") },
		"index.html": func(w io.Writer, all []sweep.Result) error {
			return report.ReproductionPage(all, reproduce.Publicly, "").WriteHTML(w)
		},
	} {
		if err := f.file(name, func(w io.Writer) error { return write(w, results) }); err != nil {
			return err
		}
	}
	return nil
}

// file writes one file whole or not at all.
func (f *reproductionFiles) file(name string, write func(io.Writer) error) error {
	return durable.WriteWhole(filepath.Join(f.folder, name), true, 0o644, write)
}

// draw writes the figures of one result, each as SVG and as PNG.
func (f *reproductionFiles) draw(r sweep.Result) error {
	for _, figure := range r.Figures {
		for ending, write := range map[string]func(io.Writer, sweep.Figure) error{".svg": report.WriteSVG, ".png": report.WritePNG} {
			if err := f.file(reproduce.FigureName(r, figure)+ending, func(w io.Writer) error { return write(w, figure) }); err != nil {
				return err
			}
		}
	}
	return nil
}
