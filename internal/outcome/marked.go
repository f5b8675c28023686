package outcome

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/sweep"
)

// Marked is one configuration that figures highlight.
type Marked struct {
	// Candidate is the highlighted configuration, or nil if there is none.
	Candidate *sweep.Candidate
	// Why states in words why the configuration is highlighted, such as "the smallest epsilon
	// within one standard error of the best".
	Why string
}

// near returns the configuration to highlight, from summaries of one metric whose larger values are
// better.
//
//  1. Configurations without privacy or a mean, or with a run that diverged, do not count.
//  2. Take the best mean, and its standard error: the standard deviation over the root of the repeats,
//     and 0 for one repeat.
//  3. Of the configurations at most one standard error below the best, take the smallest epsilon. Of
//     several with that epsilon take the largest mean, and of several of these the first.
//
// The result is empty where no configuration counts. It costs nothing beyond the runs, whose
// results it reads. It is no claim that configurations do not differ.
//
// The rule is for the simplest tree (Breiman, Friedman, Olshen & Stone, "Classification and
// Regression Trees", 1984, section 3.4.3; also Hastie, Tibshirani & Friedman, "The Elements of
// Statistical Learning", 2nd edition, section 7.10, https://hastie.su.domains/ElemStatLearn/).
func near(summaries []sweep.Summary) Marked {
	best := -1
	for i := range summaries {
		if counted(&summaries[i]) && (best < 0 || summaries[i].Mean > summaries[best].Mean) {
			best = i
		}
	}
	if best < 0 {
		return Marked{}
	}
	limit := summaries[best].Mean
	if s := summaries[best]; s.Repeats > 1 && !math.IsNaN(s.StandardDeviation) {
		limit -= s.StandardDeviation / math.Sqrt(float64(s.Repeats))
	}
	at := best
	for i := range summaries {
		s := &summaries[i]
		if !counted(s) || s.Mean < limit {
			continue
		}
		now, least := s.Candidate.Certificate.Epsilon, summaries[at].Candidate.Certificate.Epsilon
		if now < least || now == least && s.Mean > summaries[at].Mean {
			at = i
		}
	}
	why := "the best mean"
	if at != best {
		why = "the smallest epsilon within one standard error of the best"
	}
	return Marked{summaries[at].Candidate, why}
}

// counted reports whether a summary is of a private configuration, has a mean and no run that
// diverged.
func counted(s *sweep.Summary) bool {
	return s.Candidate.Certificate.Private && s.Diverged == 0 && s.Mean-s.Mean == 0
}

// Choose returns the private candidate with these settings. The candidate may have further
// settings. It is an error if there is no such candidate or if there are several.
func Choose(candidates []sweep.Candidate, settings []sweep.Setting) (*sweep.Candidate, error) {
	var found *sweep.Candidate
	count := 0
	for i := range candidates {
		if c := &candidates[i]; !c.Baseline && has(c, settings) {
			found = c
			count++
		}
	}
	if count != 1 {
		return nil, fmt.Errorf("sweep: %d configurations with privacy have %s, want exactly one; give the value of each setting that varies", count, settingWords(settings))
	}
	return found, nil
}

// has reports whether the candidate has all these settings; numbers may be written in another way.
func has(c *sweep.Candidate, settings []sweep.Setting) bool {
	for _, s := range settings {
		own := valueOf(c, s.Name)
		a, err := strconv.ParseFloat(own, 64)
		b, failed := strconv.ParseFloat(s.Value, 64)
		if own != s.Value && (err != nil || failed != nil || a != b) {
			return false
		}
	}
	return true
}

// mark is the configuration on the panel of these other settings, if it is there.
func (c chart) mark(more []sweep.Setting) []figure.Mark {
	chosen := c.marked.Candidate
	if chosen == nil || !has(chosen, more) {
		return nil
	}
	for i := range c.summaries {
		if s := &c.summaries[i]; s.Candidate == chosen {
			p := c.point(s, valueOf(chosen, c.over.Name))
			return []figure.Mark{{X: p.X, Y: p.Y, Text: c.marked.text()}}
		}
	}
	return nil
}

// text names the configuration next to its mark.
func (m Marked) text() string { return m.Candidate.Words() }
