package explain

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
)

// TestRecordLines says of each way to declare numbers what is known of them.
func TestRecordLines(t *testing.T) {
	for _, c := range []struct {
		certificate certificate.Certificate
		records     int
		person      bool
		want        string
	}{
		{certificate.Certificate{Private: true, Unit: "one visit"}, 0, false, "was not declared"},
		{certificate.Certificate{Private: true, GroupRows: 1}, 0, false, "How many there are is not public"},
		{certificate.Certificate{Private: true, GroupRows: 3}, 70, false, "Their number, 70, is declared public; there are at most 90."},
		{certificate.Certificate{Private: true}, 0, true, "All rows of a person are one record."},
		{certificate.Certificate{}, 0, false, "There are at most 90 rows.\n"},
	} {
		if got := strings.Join(recordLines(c.certificate, c.records, 90, c.person), "\n") + "\n"; !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want it to say %q", c, got, c.want)
		}
	}
}

// TestCorrectionStory tells the two statistics of a calibration apart.
func TestCorrectionStory(t *testing.T) {
	for kind, want := range map[string]string{
		option.CalibrationStatistic:       "After training, 5 sums of errors of the probabilities were released with noise, twice, to correct the probabilities. They were paid for like everything else.",
		option.NumberCalibrationStatistic: "After training, 5 sums of errors of the predictions were released with noise to correct the predictions. They were paid for like everything else.",
	} {
		if got := correctionStory(train.PreparationStep{Kind: kind, Numbers: 5}); got != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}

// TestEveryEventHasWords takes the example of each kind from the page on accounting.
func TestEveryEventHasWords(t *testing.T) {
	page, err := os.ReadFile("../docs/account.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, match := range regexp.MustCompile("(?m)^\\| `[a-z-]+` \\| `([^`]*)`").FindAllStringSubmatch(string(page), -1) {
		e, parseErr := mechanism.ParseEvent(match[1])
		if parseErr != nil {
			t.Errorf("%s: %v", match[1], parseErr)
			continue
		}
		seen++
		for _, l := range eventLines(e, 0) {
			if strings.HasPrefix(l.Text, "the release ") || l.Text == "" {
				t.Errorf("%s: got %q, want words", match[1], l.Text)
			}
		}
	}
	if least := len(mechanism.EventNames()); seen < least {
		t.Errorf("got %d examples, want at least %d", seen, least)
	}
}
