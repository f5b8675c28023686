package training

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/privacy"
)

// TestTrainSaysWhereAnIntervalIsWide: the summary of a run and the dry run of a method say so as account does.
func TestTrainSaysWhereAnIntervalIsWide(t *testing.T) {
	for event, want := range map[string]bool{"truncated-poisson(0.5, 12, 10, gaussian(3))": true, "gaussian(3)": false, "jl-clipping(9, 40, 2, 1)": false} {
		c := certificate.Certificate{Private: true, Event: event, Accountant: "pld", Epsilon: 0.01, Delta: 1e-3, Neighboring: privacy.AddOrRemoveOne}
		var summaryText, dry bytes.Buffer
		if err := (Summary{Folder: "m", run: &Run{Draft: c}}).WriteText(&summaryText); err != nil {
			t.Fatal(err)
		}
		writeWidth(&dry, c)
		for _, text := range []string{summaryText.String(), dry.String()} {
			if strings.Contains(text, "width      proven between ") != want {
				t.Errorf("%s: got %q, want a line on the width: %v", event, text, want)
			}
		}
	}
}
