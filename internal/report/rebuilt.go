package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ditherml/dither/internal/figure"
)

// FreeText is a text of a page that stands for any text. Compare takes whatever a written page has there, without tags.
const FreeText = "‹any text of the page›"

// Compare returns an error unless a written page is this page, with nothing but the sections of freeSections in
// addition. It compares bytes, and tolerates no other digit. With and without fused operations of the processor, the
// bounds on attackers differ by at most 3e-13 of their size. A digit of four differs only where a number is that near to a
// boundary of rounding: none did on 650 pages.
func (p Page) Compare(written []byte) error {
	got := sectionsOf(string(written))
	p.Budget = p.figuresBefore(got)
	var own bytes.Buffer
	if err := p.validate(); err != nil {
		return err
	}
	scripted := p.Guarantee.private() || strings.Contains(string(written), "<script>")
	if err := parsedPage.write(&own, scripted, newView(p.cleaned())); err != nil {
		return err
	}
	want, next := sectionsOf(own.String()), 0
	for at, place := 0, 0; at < len(got); at++ {
		s := got[at]
		position := slices.Index(headings[place:], s.name)
		kinds, free := freeSections[s.name]
		switch {
		case position < 0:
			return refused(s.name, "is unknown, out of order or there twice")
		case free:
			if err := s.check(kinds); err != nil {
				return refused(s.name, err.Error())
			}
		case next == len(want) || !matches(s.text, want[next].text):
			return refused(want[min(next, len(want)-1)].name, "is missing or differs from the certificate")
		default:
			next++
		}
		place += position + 1
	}
	if next < len(want) {
		return refused(want[next].name, "is missing")
	}
	return nil
}

// refused returns the error about a section.
func refused(name, how string) error {
	return fmt.Errorf("report: the section %q of the page %s, want it as this build of dither writes it; verify with the build that trained, or ask for the folder as training wrote it", name, how)
}

// section is a part of a page, from its tag to the next one. The first one is everything before. The name is the
// heading, or the tag if there is no heading.
type section struct{ name, text string }

// top is the name of the part before all sections.
const top = "head, title and verdict"

// headings are the sections of a page in order.
var headings = func() []string {
	out := []string{top}
	for _, m := range regexp.MustCompile(`<h2>([^<]*)</h2>`).FindAllStringSubmatch(pageTemplate, -1) {
		out = append(out, m[1])
	}
	return out
}()

var sectionHead = regexp.MustCompile(`^<section(?: class="[a-z]+")?>\n<h2>([^<]*)</h2>`)

// sectionsOf cuts a page.
func sectionsOf(page string) []section {
	parts := strings.Split(page, "<section")
	out := []section{{top, parts[0]}}
	for _, part := range parts[1:] {
		s := section{text: "<section" + part}
		s.name, _, _ = strings.Cut(s.text[:min(len(s.text), 60)], "\n")
		if head := sectionHead.FindStringSubmatch(s.text); head != nil {
			s.name = head[1]
		}
		out = append(out, s)
	}
	return out
}

// figuresBefore returns figures that give the ones of held-out records the numbers that they have on a page.
func (p Page) figuresBefore(page []section) (out []figure.Figure) {
	const drawn = `<figure class="drawn`
	for _, s := range page {
		if p.Holdout != nil && (s.name == "How good is the model?" || s.name == "Where the budget went") {
			for range strings.Count(s.text, drawn) {
				out = append(out, figure.Figure{Name: "one", Panels: []figure.Panel{{Series: []figure.Series{{Points: []figure.Point{figure.Value(0, 0)}}}}}})
			}
		}
	}
	return out
}

// matches reports whether a text is the wanted one, in which each FreeText stands for any text without tags.
func matches(got, want string) bool {
	for {
		before, after, free := strings.Cut(want, FreeText)
		rest, found := strings.CutPrefix(got, before)
		if !free || !found {
			return got == want
		}
		end := strings.IndexAny(rest, "<>\"\n")
		if end < 0 || !isClean(rest[:end]) {
			return false
		}
		got, want = rest[end:], after
	}
}

// freeSections are the sections that do not follow from a certificate and the other files, and the groups of tags that
// each of them has.
var freeSections = map[string]string{
	"Warnings":                       "list",
	"How good is the model?":         "text list table figure",
	"Where the budget went":          "text list table figure",
	"Accuracy against privacy":       "text list table figure",
	"The model":                      "facts",
	"What each column does":          "text list table figure",
	"Coefficients":                   "text table figure",
	"How sure are the coefficients?": "text facts table figure",
}

// Values of attributes of drawings.
const (
	lengths = `[-0-9.,% ]*`
	paths   = `[-0-9.,MLHVZmlhvz ]*`
	ids     = `[a-z0-9 -]*`
)

// tags are the tags of free sections in groups, with the attributes that each may have.
var tags = map[string]map[string]string{
	"list":  {"ul": `class="legend"`, "li": ""},
	"facts": {"dl": `class="facts"`, "div": "", "dt": "", "dd": "", "span": `class="(value|why)"`},
	"text": {"p": `class="(note|panel-title)"`, "bdi": "", "code": "", "pre": "", "h3": "",
		"div": `class="(warning|panel|panels|panels single|figures shapes|figures shapes maps)"`, "details": "", "summary": ""},
	"table": {"table": `class="(bars|bars estimates|confusion|events)"`, "caption": "", "thead": "", "tbody": "", "tr": "",
		"th": `scope="(col|row)"|class="words"|title="[^"]*"`, "td": `class="(plot|words|(right|wrong) shade[0-9]|)"|title="[^"]*"`,
		"div": `class="scroll"|role="region"|tabindex="0"|aria-label="[^"]*"`, "span": `class="(ends|half|when-live)"`},
	"figure": {"figure": `class="drawn( broad)?"|aria-labelledby="` + ids + `"`, "figcaption": `class="heading"|id="` + ids + `"`,
		"svg": `class="chart" viewBox="0 0 400 280"|class="map" viewBox="0 0 400 [0-9]{1,4}(?:\.[0-9]+)?"|class="map scale" width="(?:220" height="28" viewBox="0 0 220 28|24" height="14" viewBox="0 0 24 14)"` +
			`|class="sample curve[0-9]{1,2}(?: hollow)?" width="30" height="14" viewBox="0 0 30 14"|class="(?:swatch|budget|positive|negative|unsure)"|width="(?:12|100%)"|height="(?:12|28|100%)"|role="img"|tabindex="0"|aria-labelledby="` + ids + `"|aria-hidden="true"|focusable="false"`,
		"g": `class="[a-z0-9 ]*"|data-(entry|name|at|words)="[^"]*"`, "title": `id="` + ids + `"`, "desc": `id="` + ids + `"`,
		"path": `class="[a-z0-9 -]*"|(d|stroke-dasharray)="` + paths + `"`, "line": `class="[a-z]*"|[xy][12]="` + lengths + `"`,
		"rect": `class="[a-z0-9 ]*"|(x|y|width|height)="` + lengths + `"`, "circle": `class="[a-z]*"|(cx|cy|r)="` + lengths + `"`,
		"text":  `class="marked"|(x|y|dy)="` + lengths + `"|text-anchor="(start|middle|end)"|transform="rotate\(-90 ` + lengths + `\)"`,
		"label": "", "input": `type="checkbox"|checked|autocomplete="off"|data-entry="-?[0-9]+"`, "details": "", "summary": "", "span": ""},
}

// token is a tag or a text of a section. dither quotes all attributes and escapes all other marks of tags.
var token = regexp.MustCompile(`^(?:<(/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="[^"<>]*"| checked)*)(/?)>|[^<>]+)`)

// closed are the tags that dither closes at once. A browser closes other tags only by their ends.
var closed = []string{"path", "line", "rect", "circle"}

// titled are the tags whose texts look like headings.
var titled = []string{"h3", "summary", "figcaption", "caption", "p"}

// isClean reports whether a text is as clean leaves it, but for its white space.
func isClean(text string) bool {
	text = strings.Join(strings.Fields(html.UnescapeString(text)), " ")
	for part := range slices.Chunk([]rune(text), maxRunes/2) {
		if clean(string(part)) != string(part) {
			return false
		}
	}
	return true
}

// squeezed returns the letters and digits of a text, in lower case.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, html.UnescapeString(text))
}

// isHeading reports whether a text reads like the heading of a section that is compared.
func isHeading(text string) bool {
	return slices.ContainsFunc(headings, func(h string) bool {
		_, free := freeSections[h]
		return !free && squeezed(text) == squeezed(h)
	})
}

var attribute = regexp.MustCompile(` ([a-zA-Z0-9-]+)(?:="([^"]*)")?`)

// checkAttributes returns an error if attributes come twice, hold texts that clean would change, or place words
// outside of a chart. Such words are short.
func checkAttributes(tag, text string) error {
	seen := map[string]bool{}
	for _, m := range attribute.FindAllStringSubmatch(text, -1) {
		if seen[m[1]] || !isClean(m[2]) {
			return fmt.Errorf("has an attribute that dither does not write: %.40q", tag)
		}
		seen[m[1]] = true
		switch m[1] {
		case "data-at":
			for i, field := range strings.Fields(m[2]) {
				if v := parse(field); !(v >= 0 && v <= []float64{400, 280}[i%2]) {
					return fmt.Errorf("has words outside of a chart: %.40q", tag)
				}
			}
		case "data-words":
			for words := range strings.SplitSeq(m[2], "|") {
				if utf8.RuneCountInString(words) > 200 {
					return fmt.Errorf("has long words at a point: %.40q", tag)
				}
			}
		}
	}
	return nil
}

// check returns an error unless a section has nothing but tags of these groups, each closed in the section.
func (s section) check(groups string) error {
	body, ended := strings.CutSuffix(s.text[len(sectionHead.FindString(s.text)):], "\n</section>\n")
	if class := strings.HasPrefix(s.text, `<section class="warning">`); !ended || class != (s.name == "Warnings") || !class && !strings.HasPrefix(s.text, "<section>") {
		return fmt.Errorf("has another tag or an end elsewhere")
	}
	var open, texts []string // open tags, and their texts so far
	patterns := map[string]*regexp.Regexp{}
	for body != "" {
		m := token.FindStringSubmatch(body)
		if m == nil {
			return fmt.Errorf("has a tag that dither does not write: %.40q", body)
		}
		body = body[len(m[0]):]
		name, last := m[2], len(open)-1
		switch {
		case name == "":
			if !isClean(m[0]) {
				return fmt.Errorf("has a text that dither does not write: %.40q", m[0])
			}
			for i := range texts {
				texts[i] += m[0]
			}
		case m[1] != "":
			if last < 0 || open[last] != name || m[3] != "" {
				return fmt.Errorf("closes a tag that is not open: %s", m[0])
			}
			if slices.Contains(titled, name) && isHeading(texts[last]) {
				return fmt.Errorf("has the heading %q of another section", texts[last])
			}
			open, texts = open[:last], texts[:last]
		default:
			if patterns[name] == nil {
				patterns[name] = startTag(groups, name)
			}
			if !patterns[name].MatchString(m[3]) {
				return fmt.Errorf("has a tag that dither does not write: %.40q", m[0])
			}
			if err := checkAttributes(m[0], m[3]); err != nil {
				return err
			}
			if name == "svg" && slices.Contains(open, "td") && (strings.Contains(m[3], "viewBox") || !strings.Contains(m[3], ` width="100%" height="100%"`)) {
				return fmt.Errorf("has a drawing that is larger than its cell: %.40q", m[0]) // its place is absolute
			}
			if m[4] != "" && !slices.Contains(closed, name) {
				return fmt.Errorf("closes a tag that a browser leaves open: %.40q", m[0])
			}
			if m[4] == "" && name != "input" {
				open, texts = append(open, name), append(texts, "")
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("does not close its tags")
	}
	return nil
}

// never matches no attributes.
var never = regexp.MustCompile(`^x$`)

// startTag returns a pattern of the attributes that a tag has in one of the groups.
func startTag(groups, name string) *regexp.Regexp {
	var values []string
	for _, group := range strings.Fields(groups) {
		if value, has := tags[group][name]; has {
			values = append(values, value)
		}
	}
	if values == nil {
		return never
	}
	return regexp.MustCompile(`^(?: (?:` + strings.Join(values, "|") + `))*$`)
}
