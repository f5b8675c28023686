package artefact

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/internal/display"
)

// Text returns the verification for a terminal.
func (v Verification) Text() string {
	var b strings.Builder
	list := func(title string, lines []string) {
		b.WriteString(title + "\n")
		for _, line := range lines {
			b.WriteString("  - " + line + "\n")
		}
	}
	if !v.Verified {
		list("NOT VERIFIED, for this disagrees", v.Disagreements)
		list("\nof what was compared", v.Checked)
		return b.String()
	}
	list("checked", v.Checked)
	b.WriteString("\nguarantee\n" + display.Wrapped(v.Guarantee) + "\nassumptions, which no file can show\n")
	for _, line := range v.Certificate.Assumptions {
		b.WriteString("  - " + display.Printable(line) + "\n")
	}
	list("\nnor can any file show", []string{"that training ran as the plan says, on these records",
		"that released numbers and the page are those of the run: hashes alone hold them (docs/verification.md lists what is free)"})
	fmt.Fprintf(&b, "\nrun %s, %s, %s\nverified\n", display.Printable(v.Certificate.Run), display.Printable(v.Certificate.Program), display.Printable(v.Certificate.Created))
	return b.String()
}
