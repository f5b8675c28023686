package artefact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/display"
)

// Text returns the verification as text for a terminal.
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
	if v.Certificate == nil { // of a file that was signed alone
		list("\nsigned", v.signatures())
		return b.String() + "\nverified\n"
	}
	b.WriteString("\nguarantee\n" + display.Wrapped(v.Guarantee) + "\nassumptions, which no file can show\n")
	for _, line := range v.Certificate.Assumptions {
		b.WriteString("  - " + display.Printable(line) + "\n")
	}
	list("\nnor can any file show", []string{"that training ran as the plan says, on these records",
		"that released numbers, and what else the page says, are those of the run: hashes alone hold them (docs/verification.md lists what is free)"})
	if len(v.SignedBy) > 0 {
		list("\nsigned", v.signatures())
	}
	fmt.Fprintf(&b, "\nrun %s, %s, %s\nverified\n", display.Printable(v.Certificate.Run), display.Printable(v.Certificate.Program), display.Printable(v.Certificate.Created))
	return b.String()
}

// signatures says whose the signatures are.
func (v Verification) signatures() []string {
	var lines []string
	for _, key := range v.SignedBy {
		whose := "no file shows whose it is, and --signed-by PUB.pem compares it with yours"
		if slices.Contains(v.Confirmed, key) {
			whose = "the key that was asked for"
		}
		lines = append(lines, "by key "+key+": "+whose)
	}
	return lines
}
