package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// rebuilt are the headings of sections that follow from a certificate alone.
var rebuilt = []string{"The guarantee", "How well could an attacker do?", "What the guarantee does not promise", "Other releases from these records"}

// Compare returns an error unless a written page says what this page says. It compares title, verdict
// and the sections that follow from a certificate alone. The last digit of a number may differ, because
// machines round differently.
func (p Page) Compare(written []byte) error {
	var own bytes.Buffer
	if err := p.WriteHTML(&own); err != nil {
		return err
	}
	got, want := partsOf(string(written)), partsOf(own.String())
	for _, name := range append([]string{"banner", "h1", "verdict"}, rebuilt...) {
		if !alike(got[name], want[name]) {
			return fmt.Errorf("report: the page differs from the certificate in %q, want it as dither writes it", name)
		}
	}
	return nil
}

var (
	loudPart  = regexp.MustCompile(`(?s)<p class="(banner|verdict)".*?</p>`)
	titlePart = regexp.MustCompile(`(?s)<h1>.*?</h1>`)
	tabPart   = regexp.MustCompile(`(?s)<title>.*?</title>`) // the first one; figures have others
)

// partsOf returns, by name, the parts of a page that Compare compares. A part that a page has several times is
// all of them.
func partsOf(page string) map[string]string {
	out := map[string]string{"h1": tabPart.FindString(page) + strings.Join(titlePart.FindAllString(page, -1), "\n")}
	for _, m := range loudPart.FindAllStringSubmatch(page, -1) {
		out[m[1]] += m[0]
	}
	for _, section := range strings.Split(page, "<section>")[1:] {
		for _, name := range rebuilt {
			if strings.HasPrefix(section, "\n<h2>"+name+"</h2>") {
				block, _, _ := strings.Cut(section, "</section>")
				out[name] += block
			}
		}
	}
	return out
}

// alike reports whether two texts are equal up to the last digits of their numbers.
func alike(a, b string) bool {
	for {
		i, j := strings.IndexAny(a, digits), strings.IndexAny(b, digits)
		if i < 0 || j < 0 {
			return a == b
		}
		if a[:i] != b[:j] {
			return false
		}
		x, y := a[i:i+numberLength(a[i:])], b[j:j+numberLength(b[j:])]
		if x != y && !near(x, y) {
			return false
		}
		a, b = a[i+len(x):], b[j+len(y):]
	}
}

const digits = "0123456789"

// numberLength returns the length of the number at the start of a text: digits, and a fraction if digits follow a point.
func numberLength(text string) int {
	whole := len(text) - len(strings.TrimLeft(text, digits))
	rest := strings.TrimPrefix(text[whole:], ".")
	if fraction := len(rest) - len(strings.TrimLeft(rest, digits)); fraction > 0 {
		return len(text) - len(rest) + fraction
	}
	return whole
}

// near reports whether two numbers differ by at most one in the last decimal of the longer one.
func near(x, y string) bool {
	_, left, _ := strings.Cut(x, ".")
	_, right, _ := strings.Cut(y, ".")
	decimals := max(len(left), len(right))
	return decimals > 0 && math.Abs(parse(x)-parse(y)) <= 1.01*math.Pow10(-decimals)
}
