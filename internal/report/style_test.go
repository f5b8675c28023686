package report

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strings"
	"testing"
)

// themes returns the color variables of the light and of the dark theme.
func themes(t *testing.T) map[string]map[string][3]float64 {
	t.Helper()
	light, dark, found := strings.Cut(styleSheet, "prefers-color-scheme: dark")
	if !found {
		t.Fatal("got no dark theme")
	}
	colors := func(text string, into map[string][3]float64) {
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (?:#([0-9a-f]{6})|(\d+) (\d+) (\d+));`).FindAllStringSubmatch(text, -1) {
			var c [3]float64
			if m[2] != "" {
				var r, g, b int
				if _, err := fmt.Sscanf(m[2], "%02x%02x%02x", &r, &g, &b); err != nil {
					t.Fatal(err)
				}
				c = [3]float64{float64(r), float64(g), float64(b)}
			} else {
				c = [3]float64{parse(m[3]), parse(m[4]), parse(m[5])}
			}
			into[m[1]] = c
		}
	}
	out := map[string]map[string][3]float64{"light": {}, "dark": {}}
	colors(light, out["light"])
	colors(light, out["dark"])
	colors(dark, out["dark"])
	return out
}

// contrast is the contrast ratio of WCAG 2.2, section "contrast ratio".
func contrast(a, b [3]float64) float64 {
	luminance := func(c [3]float64) float64 {
		sum := 0.0
		for i, weight := range []float64{.2126, .7152, .0722} {
			v := c[i] / 255
			if v <= .04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func blend(over, under [3]float64, alpha float64) [3]float64 {
	for i := range over {
		over[i] = alpha*over[i] + (1-alpha)*under[i]
	}
	return over
}

// TestContrast wants a ratio of 4.5 for text and 3 for drawings in both themes.
func TestContrast(t *testing.T) {
	if got := contrast([3]float64{0, 0, 0}, [3]float64{255, 255, 255}); math.Abs(got-21) > 1e-9 {
		t.Fatalf("got %v for black on white, want 21", got)
	}
	for theme, color := range themes(t) {
		check := func(name string, a, b [3]float64, want float64) {
			if got := contrast(a, b); got < want {
				t.Errorf("%s theme, %s: got contrast %.2f, want at least %v", theme, name, got, want)
			}
		}
		for _, text := range []string{"ink", "soft"} {
			check(text+" on paper", color[text], color["paper"], 4.5)
			check(text+" on card", color[text], color["card"], 4.5)
		}
		check("banner", color["loud-ink"], color["loud"], 4.5)
		for _, kind := range []string{"right", "wrong"} {
			check(kind, color[kind], color["paper"], 3)
			alphas := regexp.MustCompile(`\.`+kind+`\.shade\d \{ background: rgb\(var\(--`+kind+`\) / (\.\d+)\)`).FindAllStringSubmatch(styleSheet, -1)
			if len(alphas) != shades {
				t.Fatalf("got %d shades of %s, want %d", len(alphas), kind, shades)
			}
			for _, alpha := range alphas {
				check(kind+" shade "+alpha[1], color["ink"], blend(color[kind], color["paper"], parse("0"+alpha[1])), 4.5)
			}
		}
		for i := range eventClasses {
			name := fmt.Sprintf("event%d", i)
			check(name, color[name], color["paper"], 3)
			if !strings.Contains(styleSheet, "."+name+" { fill: var(--"+name+"); }") {
				t.Errorf("got no class %s, want one", name)
			}
		}
	}
}

// TestPrintScalesAllText: sizes are in rem, so that paper must set the root's; else notes and tables are larger there than
// the text around them.
func TestPrintScalesAllText(t *testing.T) {
	_, print, _ := strings.Cut(styleSheet, "@media print {")
	if !strings.Contains(print, ":root { font-size: 10pt; }") || regexp.MustCompile(`body \{[^}]*font-size`).MatchString(print) {
		t.Error("got a size of text on paper that is not the root's")
	}
}

// TestLongNumbersFit measures the cells of bars with long numbers, on a phone and on a desktop.
func TestLongNumbersFit(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	p := binaryPage()
	long := []Coefficient{{Feature: "x", Value: -0.0008266, Half: 0.0001234}, {Feature: "y", Value: -1.257e-5, Half: 0.00624}, {Feature: "z", Value: -1.234e-100, Half: 1.25e-100}}
	p.Coefficients, p.Shapes = long, []Shape{{Name: "a", States: long}, {Name: "b", States: long}}
	for _, width := range []int{390, 1100} {
		page := strings.Replace(written(t, p, 0), "Content-Security-Policy", "none", 1)
		outer := fmt.Sprintf(`<!DOCTYPE html><meta charset="utf-8"><iframe width="%d" height="900" srcdoc="%s"></iframe><script>
addEventListener("load", () => {
  const d = document.querySelector("iframe").contentDocument, said = [];
  if (d.documentElement.scrollWidth > d.documentElement.clientWidth) said.push("page " + d.documentElement.scrollWidth);
  for (const c of d.querySelectorAll(".bars td")) if (c.scrollWidth > c.clientWidth + 1) said.push(c.textContent + " " + c.scrollWidth + " in " + c.clientWidth);
  const out = document.createElement("pre"); out.id = "said"; out.textContent = d.querySelectorAll(".bars td").length + " cells " + said.join(", "); document.body.append(out);
});</script>`, width, html.EscapeString(page))
		_, rest, _ := strings.Cut(browse(t, outer).dom, `<pre id="said">`)
		if got, _, _ := strings.Cut(rest, "</pre>"); got != "18 cells " {
			t.Errorf("%d pixels: got %q, want 18 cells that fit", width, got)
		}
	}
}

// TestStyleSheet wants nothing that html/template would change, or that would
// fetch.
func TestStyleSheet(t *testing.T) {
	for _, part := range []string{"/*", "<", "{{", "url(", "@import", "\r"} {
		if strings.Contains(styleSheet, part) {
			t.Errorf("got %q in the style sheet, want none", part)
		}
	}
}
