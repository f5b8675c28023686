package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

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
		end := strings.IndexAny(rest, `<>"`)
		if end < 0 {
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
		"svg": `class="[a-z0-9 ]*"|viewBox="` + lengths + `"|width="(12|24|30|220|100%)"|height="(12|14|28|100%)"|role="img"|tabindex="0"|aria-labelledby="` + ids + `"|aria-hidden="true"|focusable="false"`,
		"g":   `class="[a-z0-9 ]*"|data-(entry|name|at|words)="[^"]*"`, "title": `id="` + ids + `"`, "desc": `id="` + ids + `"`,
		"path": `class="[a-z0-9 -]*"|(d|stroke-dasharray)="` + paths + `"`, "line": `class="[a-z]*"|[xy][12]="` + lengths + `"`,
		"rect": `class="[a-z0-9 ]*"|(x|y|width|height)="` + lengths + `"`, "circle": `class="[a-z]*"|(cx|cy|r)="` + lengths + `"`,
		"text":  `class="marked"|(x|y|dy)="` + lengths + `"|text-anchor="(start|middle|end)"|transform="rotate\(-90 ` + lengths + `\)"`,
		"label": "", "input": `type="checkbox"|checked|autocomplete="off"|data-entry="-?[0-9]+"`, "details": "", "summary": "", "span": ""},
}

// token is a tag or a text of a section. dither quotes all attributes and escapes all other marks of tags.
var token = regexp.MustCompile(`^(?:<(/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="[^"<>]*"| checked)*)(/?)>|[^<>]+)`)

// check returns an error unless a section has nothing but tags of these groups, each closed in the section.
func (s section) check(groups string) error {
	body, ended := strings.CutSuffix(s.text[len(sectionHead.FindString(s.text)):], "\n</section>\n")
	if class := strings.HasPrefix(s.text, `<section class="warning">`); !ended || class != (s.name == "Warnings") || !class && !strings.HasPrefix(s.text, "<section>") {
		return fmt.Errorf("has another tag or an end elsewhere")
	}
	var open []string
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
			text := strings.TrimSpace(html.UnescapeString(m[0]))
			if _, free := freeSections[text]; !free && slices.Contains(headings, text) {
				return fmt.Errorf("has the heading %q of another section", text)
			}
		case m[1] != "":
			if last < 0 || open[last] != name || m[3] != "" {
				return fmt.Errorf("closes a tag that is not open: %s", m[0])
			}
			open = open[:last]
		default:
			if patterns[name] == nil {
				patterns[name] = startTag(groups, name)
			}
			if !patterns[name].MatchString(m[3]) {
				return fmt.Errorf("has a tag that dither does not write: %.40q", m[0])
			}
			if m[4] == "" && name != "input" {
				open = append(open, name)
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
