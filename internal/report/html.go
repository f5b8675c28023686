package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the templates, the style sheet and the script
	"encoding/base64"
	"html/template"
	"io"
	"strings"
)

//go:embed parts.html
var partsTemplate string

//go:embed chart.html
var chartTemplate string

//go:embed page.html
var pageTemplate string

//go:embed document.html
var documentTemplate string

//go:embed style.css
var styleSheet string

// chartScript makes the figures of a page answer a pointer and the arrow keys. The page says the
// same without it. It reads what stands in the page, writes texts as texts, and fetches nothing.
//
//go:embed chart.js
var chartScript string

// policy is the content security policy of a page: it may fetch nothing, and only its own style
// sheet applies. On a page with figures only its own script runs. Both are named by their hashes.
// Neither may hold a comment, since html/template would take it out and the hash would not fit.
func policy(scripted bool) string {
	text := "default-src 'none'; style-src '" + hashOf(styleSheet) + "'; "
	if scripted {
		text += "script-src '" + hashOf(chartScript) + "'; "
	}
	return text + "base-uri 'none'; form-action 'none'"
}

// hashOf names a text in a policy.
func hashOf(text string) string {
	hash := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// parsed puts the policy, the style sheet and, where there are figures, the script into a template:
// they are constants of the program, put in before parsing, so that data only ever passes through
// the escaper.
func parsed(text string, scripted bool) *template.Template {
	script, runs := "", " and runs no script"
	if scripted {
		script, runs = "<script>"+chartScript+"</script>", ", and runs the one script that reads its figures to you"
	}
	constants := strings.NewReplacer("@policy@", policy(scripted), "@style@", styleSheet, "@script@", script, "@runs@", runs)
	return template.Must(template.New("page").Parse(constants.Replace(partsTemplate + chartTemplate + text)))
}

// templates of a page, by whether it has figures.
type templates struct{ plain, scripted *template.Template }

var (
	parsedPage     = templates{parsed(pageTemplate, false), parsed(pageTemplate, true)}
	parsedDocument = templates{parsed(documentTemplate, false), parsed(documentTemplate, true)}
)

// write fills a template and hands the page on once it is whole.
func (t templates) write(w io.Writer, scripted bool, view any) error {
	chosen := t.plain
	if scripted {
		chosen = t.scripted
	}
	var page bytes.Buffer
	if err := chosen.Execute(&page, view); err != nil {
		return err
	}
	_, err := page.WriteTo(w)
	return err
}

// WriteHTML writes the page as one HTML file that needs nothing else: no font, no image and no
// network. It has figures wherever there is a guarantee. Then it runs one constant script, which
// shows their values to a pointer. Nothing is written when the page is refused, as when its
// guarantee is not fully stated.
func (p Page) WriteHTML(w io.Writer) error {
	if err := p.validate(); err != nil {
		return err
	}
	return parsedPage.write(w, p.Guarantee.private() || len(p.figures()) > 0, newView(p.cleaned()))
}
