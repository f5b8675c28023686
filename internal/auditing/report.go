package auditing

import (
	"fmt"
	"time"

	"github.com/ditherml/dither/internal/failure"
)

// Verdict is the outcome of attacks on one claim.
type Verdict string

// These are the verdicts. A claim that is not refuted is not thereby true.
const (
	Refuted    Verdict = "refuted"
	NotRefuted Verdict = "not refuted"
	// Estimate is the verdict of a bound whose assumption nobody stated. It refutes nothing.
	Estimate Verdict = "estimate only"
	// NotRun is the verdict of an attack that was not possible. The note says why.
	NotRun Verdict = "not run"
)

// FileName and PageName are the names of the files of an audit.
const (
	FileName = "audit.json"
	PageName = "audit.html"
)

// format is the version of the file of an audit.
const format = "dither-audit-1"

// Report is the outcome of a whole audit. NewReport makes it from its sections.
type Report struct {
	Format string `json:"format"`
	// Subject is what was attacked, in words, such as "the scores of scores.csv".
	Subject string `json:"subject"`
	// Program and Processor name what ran the audit; empty where they do not matter.
	Program   string `json:"program,omitempty"`
	Processor string `json:"processor,omitempty"`
	// Confidence is the least probability that no correct claim of the whole audit is refuted.
	Confidence float64 `json:"confidence"`
	// Split are the shares of the false-alarm probability, in words, as fixed before the audit.
	Split   string  `json:"split,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Seconds is the duration of the whole audit.
	Seconds float64 `json:"seconds"`
	// Parts sum up the groups of a report with many sections. Text and page then have the details of
	// few sections only. Nil for other reports.
	Parts    []Part    `json:"parts,omitempty"`
	Sections []Section `json:"sections"`
}

// Part sums up a group of sections.
type Part struct {
	// Group is the group of the sections.
	Group string `json:"group"`
	// Tried is what the attacks do, and Finds is what they would have found, in sentences.
	Tried string `json:"tried"`
	Finds string `json:"finds"`
}

// Section is the outcome of the attacks on one claim.
type Section struct {
	// Group gathers sections under one heading, such as "noise", "canaries", "kernels" or "scores".
	Group string `json:"group"`
	// Name names the attack within its group in a few words.
	Name string `json:"name"`
	// Claim is what was attacked, in words. Claimed is its ε in nats and Delta its δ, both nil for a claim
	// without them, such as that noise never repeats.
	Claim   string   `json:"claim"`
	Claimed *float64 `json:"claimed"`
	Delta   *float64 `json:"delta,omitempty"`
	// LowerBound is the largest lower bound on ε that holds with Confidence, rounded down. It is nil where
	// no ε is measured.
	LowerBound *float64 `json:"lower-bound"`
	// PValue is an upper bound on the probability of what was found if the claim is true. It is nil for
	// attacks without one.
	PValue *float64 `json:"p-value,omitempty"`
	// Confidence is the least probability that this section does not refute a correct claim.
	Confidence float64 `json:"confidence"`
	Verdict    Verdict `json:"verdict"`
	// Power is what would have been detected, in words. Detectable is the smallest true ε that would have been
	// refuted with probability 0.9, nil for none.
	Power      string   `json:"power,omitempty"`
	Detectable *float64 `json:"detectable,omitempty"`
	Seconds    float64  `json:"seconds"`
	Note       string   `json:"note,omitempty"`
	// Facts are named values, such as the number of canaries.
	Facts []Fact `json:"facts,omitempty"`
	// Bounds are the single bounds whose shares of the false alarm make up the section's.
	Bounds  []Bound  `json:"bounds,omitempty"`
	Picture *Picture `json:"picture,omitempty"`
}

// Fact is a named value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Bound is one lower bound on ε.
type Bound struct {
	// Name is the method, such as "one-run".
	Name string `json:"name"`
	// Assumption is what the bound takes for granted about canaries and mechanism, in one sentence.
	Assumption string   `json:"assumption"`
	Source     string   `json:"source,omitempty"`
	Claimed    *float64 `json:"claimed"`
	LowerBound *float64 `json:"lower-bound"`
	Confidence float64  `json:"confidence"`
	Verdict    Verdict  `json:"verdict"`
	Power      string   `json:"power,omitempty"`
	Detectable *float64 `json:"detectable,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// Picture is the trade-off curve of a claim with the attacked points.
type Picture struct {
	// Curve are points of the claim's curve, in the order of growing false positives.
	Curve []Rates `json:"curve"`
	Boxes []Box   `json:"boxes"`
}

// Rates are the two error rates of one attack.
type Rates struct {
	FalsePositives float64 `json:"false-positives"`
	FalseNegatives float64 `json:"false-negatives"`
}

// Box is one attacked point: its observed rates, and the ends of the confidence intervals of both.
type Box struct {
	Name string `json:"name"`
	Rates
	Low  Rates `json:"low"`
	High Rates `json:"high"`
}

// NewReport returns the report of sections. It is refuted if one of them is. The confidence is that of all
// sections together by the union bound.
func NewReport(subject string, took time.Duration, sections ...Section) Report {
	r := Report{Format: format, Subject: subject, Verdict: NotRun, Seconds: took.Seconds(), Sections: sections}
	alarm := 0.0
	for _, s := range sections {
		if s.Verdict == NotRun {
			continue
		}
		alarm += 1 - s.Confidence
		if r.Verdict != Refuted && s.Verdict != Estimate {
			r.Verdict = s.Verdict
		}
	}
	r.Confidence = max(0, 1-alarm)
	return r
}

// Err returns an error with the first claim that is refuted, and nil if none is. The command then has the
// exit status of a failure.
func (r Report) Err() error {
	for _, s := range r.Sections {
		if s.Verdict == Refuted {
			return failure.Running(fmt.Errorf("%s: the claim is refuted with confidence %s: %s", s.title(), confidence(s.Confidence), s.Claim))
		}
	}
	return nil
}
