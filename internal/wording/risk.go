package wording

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/report"
)

// Risk returns risks in plain sentences, for readers who decide and do not calculate.
func Risk(r account.Risk) []string {
	if math.IsInf(r.Epsilon, 1) {
		return []string{"There is no guarantee: the result may disclose any record."}
	}
	return []string{
		fmt.Sprintf("An attacker names records that may be in the data. If they name 1 in 100 of the records that are not in the data, they name at most %s of the records that are. If they name 1 in 1000, they name at most %s.",
			percent(r.TruePositiveAt1), percent(r.TruePositiveAt01)),
		fmt.Sprintf("An attacker who chooses between \"in the data\" and \"not in the data\", equally likely beforehand, is right at most %s of the time. Blind guesses are right 50%% of the time.",
			percent((1+r.Advantage)/2)),
		fmt.Sprintf("The result raises an attacker's belief of 50%% that a record is in the data to at most %s, and a belief of 1%% to at most %s. %s.",
			percent(r.PosteriorFromHalf), percent(r.PosteriorFromHundredth), exception(r.Delta)),
		fmt.Sprintf("An attacker guesses a secret with a million equally likely values with a chance of at most %s. Without the result the chance is 1 in 1000000.", chance(r.Reconstruction)),
		"These limits hold for all attackers, whatever else they know, and however long they compute.",
	}
}

// exception says what bounds by epsilon alone leave out.
func exception(delta float64) string {
	if delta == 0 {
		return "This has no exceptions"
	}
	return "This is by epsilon alone: results may say more, but the probability by which all of them together exceed the factor e^epsilon is at most " + chance(delta)
}

// percent writes a probability for reading, rounded up, as pages do.
func percent(p float64) string {
	text := report.PercentUp(p)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text + "%"
}

// chance writes a small probability as 1 in n, as pages do.
func chance(p float64) string {
	if p >= 0.1 {
		return percent(p)
	}
	return report.OneIn(p)
}
