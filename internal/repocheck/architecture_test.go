package repocheck

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/architecture.svg again")

// Lengths of the picture, in pixels at its natural width.
const (
	pictureWidth = 900
	boxHeight    = 28
	boxGap       = 8
	bandPad      = 10
	bandLeft     = 40 // room for the number of the band
	letterWidth  = 7.4
)

// pictureStyle draws in colors for light pages, and in others for dark ones.
const pictureStyle = `<style>
text{font:12px ui-monospace,"DejaVu Sans Mono",monospace;fill:#1f2328}
.page{fill:#ffffff}.band{fill:#f3f4f6}.user{fill:#cfe3ff;stroke:#0b57d0}.inner{fill:#ffffff;stroke:#8c959f}.end{fill:#d9f2dd;stroke:#1a7f37}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.band{fill:#161b22}.user{fill:#0b2f66;stroke:#6ea8fe}.inner{fill:#21262d;stroke:#8b949e}.end{fill:#0f3d1e;stroke:#56d364}}
</style>
`

// bands divides the rows of layers: a package stands one band above the highest package that it imports.
func bands() [][]string {
	height := map[string]int{}
	var out [][]string
	for _, l := range layers {
		h := 0
		for imported := range strings.FieldsSeq(l.imports) {
			below, known := height[strings.TrimPrefix(imported, front)]
			if !known {
				panic("architecture: the row of " + l.pkg + " imports " + imported + ", want a package of an earlier row")
			}
			h = max(h, below+1)
		}
		height[l.pkg] = h
		for len(out) <= h {
			out = append(out, nil)
		}
		out[h] = append(out[h], display(l.pkg))
	}
	return out
}

// boxClass tells packages for users from others, and from what nothing imports.
func boxClass(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case slices.Contains([]string{"cmd", "examples", "bench"}, first):
		return "end"
	case slices.Contains(strings.Split(pkg, "/"), "internal"):
		return "inner"
	}
	return "user"
}

// picture draws the packages as an SVG: one band for each height, the highest first.
func picture() string {
	var b strings.Builder
	y := 44.0
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"24\">A package imports packages of lower bands only.</text>\n", bandPad)
	x := 470.0
	for _, key := range [][2]string{{"user", "for users"}, {"inner", "internal"}, {"end", "commands, examples"}} {
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%g\" y=\"12\" width=\"16\" height=\"16\" rx=\"3\"/><text x=\"%g\" y=\"24\">%s</text>\n", key[0], x, x+24, key[1])
		x += 24 + letterWidth*float64(len(key[1])) + 24
	}
	list := bands()
	for i, band := range slices.Backward(list) {
		var boxes strings.Builder
		left, top := float64(bandLeft), y+bandPad
		for _, pkg := range band {
			width := letterWidth*float64(len(pkg)) + 16
			if left+width > pictureWidth-2*bandPad {
				left, top = bandLeft, top+boxHeight+boxGap
			}
			fmt.Fprintf(&boxes, "<rect class=\"%s\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" height=\"%d\" rx=\"5\"/><text x=\"%.1f\" y=\"%g\">%s</text>\n",
				boxClass(pkg), left, top, width, boxHeight, left+8, top+18, pkg)
			left += width + boxGap
		}
		bottom := top + boxHeight + bandPad
		fmt.Fprintf(&b, "<rect class=\"band\" x=\"%d\" y=\"%g\" width=\"%d\" height=\"%g\" rx=\"6\"/><text x=\"%d\" y=\"%g\">%d</text>\n",
			bandPad, y, pictureWidth-2*bandPad, bottom-y, bandPad+8, y+bandPad+18, i)
		b.WriteString(boxes.String())
		y = bottom + boxGap
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %g\" width=\"%d\" role=\"img\" aria-label=\"Packages of dither by height\">\n%s<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		pictureWidth, y, pictureWidth, pictureStyle, b.String())
}

// TestArchitecturePicture wants the picture to be the one that layers give, with every row. With -update it is written.
func TestArchitecturePicture(t *testing.T) {
	const path = "docs/architecture.svg"
	want := picture()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readRoot(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what layers give (%v), want it drawn again: go test ./internal/repocheck -run ArchitecturePicture -update", path, err)
	}
	for _, l := range layers {
		if !strings.Contains(string(got), ">"+display(l.pkg)+"</text>") {
			t.Errorf("%s does not show %s, want every row of layers", path, display(l.pkg))
		}
	}
}

// walkedName is a function in a walk of docs/architecture.md: its package, and its name or Type.Method.
var walkedName = regexp.MustCompile("`([a-z][a-z/]*)\\.((?:[A-Za-z]+\\.)?[A-Za-z]+)`")

// TestArchitectureWalks wants three walks whose steps name functions that exist in the packages that they name.
func TestArchitectureWalks(t *testing.T) {
	text, err := readRoot("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	for _, s := range parseRepository(t).sources {
		for _, d := range s.file.Decls {
			if f, is := d.(*ast.FuncDecl); is && !s.test {
				name := f.Name.Name
				if of := receiver(f); of != "" {
					name = of + "." + name
				}
				exists[s.pkg+" "+name] = true
			}
		}
	}
	walks := strings.Split(string(text), "\n## Walk: ")[1:]
	if len(walks) != 3 {
		t.Errorf("docs/architecture.md has %d walks, want 3", len(walks))
	}
	for _, walk := range walks {
		title, steps, _ := strings.Cut(walk, "\n")
		found := walkedName.FindAllStringSubmatch(steps, -1)
		if len(found) < 5 {
			t.Errorf("walk %q names %d functions, want more", title, len(found))
		}
		for _, match := range found {
			if !exists[match[1]+" "+match[2]] {
				t.Errorf("walk %q names %s, want a function or method of package %s", title, match[0], match[1])
			}
		}
	}
}
