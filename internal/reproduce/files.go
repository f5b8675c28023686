package reproduce

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
)

// Files is the folder for results as they arrive; "" means none.
type Files struct {
	folder  string
	replace bool
	figures int // the number of results whose figures are written
}

// NewFiles makes the folder. Only with replace may the folder have content.
func NewFiles(folder string, replace bool) (*Files, error) {
	f := &Files{folder: folder, replace: replace}
	if folder == "" {
		if replace {
			return nil, fmt.Errorf("--replace goes with --out FOLDER")
		}
		return f, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("%s cannot be made: %w; name another folder", folder, display.Pathless(err))
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; name another folder", folder, display.Pathless(err))
	}
	if len(entries) > 0 && !replace {
		return nil, fmt.Errorf("%s has files in it, want a new folder; give another --out, or --replace", folder)
	}
	return f, nil
}

// Write writes all results so far, and the figures of new results.
func (f *Files) Write(results []experiment.Result) error {
	if f.folder == "" {
		return nil
	}
	for ; f.figures < len(results); f.figures++ {
		if err := f.draw(results[f.figures]); err != nil {
			return err
		}
	}
	for name, write := range map[string]func(io.Writer, []experiment.Result) error{
		"comparisons.json": WriteJSON, "comparisons.csv": WriteCSV,
		"comparisons.md": func(w io.Writer, all []experiment.Result) error { return WriteMarkdown(w, all, "") },
		"index.html": func(w io.Writer, all []experiment.Result) error {
			return page(all, "").WriteHTML(w)
		},
	} {
		if err := f.file(name, func(w io.Writer) error { return write(w, results) }); err != nil {
			return err
		}
	}
	return nil
}

// file writes one file completely or not at all.
func (f *Files) file(name string, write func(io.Writer) error) error {
	return durable.WriteWhole(filepath.Join(f.folder, name), true, 0o644, write)
}

// draw writes the figures of one result, each as SVG and as PNG.
func (f *Files) draw(r experiment.Result) error {
	for _, drawn := range r.Figures {
		for ending, write := range map[string]func(io.Writer, figure.Figure) error{".svg": report.WriteSVG, ".png": report.WritePNG} {
			if err := f.file(FigureName(r, drawn)+ending, func(w io.Writer) error { return write(w, drawn) }); err != nil {
				return err
			}
		}
	}
	return nil
}
