package auditing

import (
	"fmt"
	"time"

	"github.com/ditherml/dither/internal/failure"
)

// Verdict is the outcome of attacks on one claim.
type Verdict string

// These are the verdicts. A claim that is not refuted need not be true.
const (
	Refuted    Verdict = "refuted"
	NotRefuted Verdict = "not refuted"
	// Estimate is the verdict on a bound whose assumption nobody declared. It refutes nothing.
	Estimate Verdict = "estimate only"
	// NotRun is the verdict on an attack that was not possible. The note gives the reason.
	NotRun Verdict = "not run"
)

// FileName and PageName are the names of an audit's files.
const (
	FileName = "audit.json"
	PageName = "audit.html"
)

// format is the version of the file of an audit.
const format = "dither-audit-1"

// Report is the outcome of a whole audit. NewReport makes it from its sections.
type Report struct {
	Format string `json:"format"`
	// Subject describes in words what was attacked, such as "the scores of scores.csv".
	Subject string `json:"subject"`
	// Program and Processor describe the program and the processor that ran the audit. They are
	// empty if they do not matter.
	Program   string `json:"program,omitempty"`
	Processor string `json:"processor,omitempty"`
	// Confidence is the least probability that no correct claim of the whole audit is refuted.
	Confidence float64 `json:"confidence"`
	// Split describes in words how the false-alarm probability was divided before the audit.
	Split   string  `json:"split,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Seconds is the duration of the whole audit.
	Seconds float64 `json:"seconds"`
	// Parts summarize the groups of a report with many sections. The text and the page of such a
	// report have the details of few sections only. Parts is nil for other reports.
	Parts    []Part    `json:"parts,omitempty"`
	Sections []Section `json:"sections"`
}

// Part summarizes a group of sections.
type Part struct {
	// Group is the name of the group.
	Group string `json:"group"`
	// Tried describes the attacks. Finds describes the faults that they would have found. Both are
	// sentences.
	Tried string `json:"tried"`
	Finds string `json:"finds"`
}

// Section is the outcome of the attacks on one claim.
type Section struct {
	// Group is the heading of several sections, such as "noise", "canaries", "kernels" or "scores".
	Group string `json:"group"`
	// Name is a short name of the attack within its group.
	Name string `json:"name"`
	// Claim is the attacked claim in words. Claimed is its ε, in nats, and Delta is its δ. Both are
	// nil for a claim without these numbers, such as the claim that noise never repeats.
	Claim   string   `json:"claim"`
	Claimed *float64 `json:"claimed"`
	Delta   *float64 `json:"delta,omitempty"`
	// LowerBound is the largest lower bound on ε that holds with probability Confidence, rounded
	// down. It is nil if ε is not measured.
	LowerBound *float64 `json:"lower-bound"`
	// PValue is an upper bound on the probability of the observed outcome if the claim is true. It
	// is nil for attacks without such a bound.
	PValue *float64 `json:"p-value,omitempty"`
	// Confidence is the least probability that this section does not refute a correct claim.
	Confidence float64 `json:"confidence"`
	Verdict    Verdict `json:"verdict"`
	// Power describes in words what the attack would have detected. Detectable is the smallest true
	// ε that it would have refuted with probability 0.9, or nil if there is none.
	Power      string   `json:"power,omitempty"`
	Detectable *float64 `json:"detectable,omitempty"`
	Seconds    float64  `json:"seconds"`
	Note       string   `json:"note,omitempty"`
	// Facts are named values, such as the number of canaries.
	Facts []Fact `json:"facts,omitempty"`
	// Bounds are the lower bounds of the section. The false-alarm probability of the section is
	// divided among them.
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
	// Name is the name of the method, such as "one-run".
	Name string `json:"name"`
	// Assumption states in one sentence what the bound assumes about the canaries and the
	// mechanism.
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

// Picture is the trade-off curve of a claim, with the error rates of the attacks.
type Picture struct {
	// Curve has points of the claim's curve, in ascending order of their false positives.
	Curve []Rates `json:"curve"`
	Boxes []Box   `json:"boxes"`
}

// Rates are the two error rates of one attack.
type Rates struct {
	FalsePositives float64 `json:"false-positives"`
	FalseNegatives float64 `json:"false-negatives"`
}

// Box has the error rates of one attack: the observed rates and the ends of their confidence
// intervals.
type Box struct {
	Name string `json:"name"`
	Rates
	Low  Rates `json:"low"`
	High Rates `json:"high"`
}

// NewReport returns the report of these sections. The report is refuted if a section is refuted.
// Its confidence follows from the sections by the union bound.
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

// Err returns an error with the first refuted claim, or nil if no claim is refuted. The exit status
// of the command is then that of a failure.
func (r Report) Err() error {
	for _, s := range r.Sections {
		if s.Verdict == Refuted {
			return failure.Running(fmt.Errorf("%s: the claim is refuted with confidence %s: %s", s.title(), confidence(s.Confidence), s.Claim))
		}
	}
	return nil
}
