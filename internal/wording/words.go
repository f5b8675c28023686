// Package wording holds the words for plans, events, certificates and answers that terminals and
// pages share.
package wording

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// Guarantee returns a certificate's promise in one paragraph.
func Guarantee(c certificate.Certificate) string {
	if !c.Private {
		return "NOT PRIVATE: epsilon is infinite. This baseline has no guarantee."
	}
	text := fmt.Sprintf("epsilon %s at delta %g for %s (%s; accountant %s)",
		c.Epsilon.Rounded(), c.Delta, strings.ReplaceAll(Relation(c.Neighboring), "row", "record"), c.Unit, c.Accountant)
	if c.GroupRows > 1 {
		text += fmt.Sprintf("; epsilon %s for all %d rows that one person can have", c.GroupEpsilon.Rounded(), c.GroupRows)
	}
	return text
}

// Learned returns what was released about a column.
func Learned(l certificate.Learned) string {
	if len(l.Bounds) == 2 {
		return fmt.Sprintf("%s from %.6g to %.6g", l.Column, l.Bounds[0], l.Bounds[1])
	}
	if len(l.Bins) > 0 {
		points := make([]string, len(l.Bins))
		for i, v := range l.Bins {
			points[i] = strconv.FormatFloat(v, 'g', 6, 64)
		}
		return fmt.Sprintf("%s is cut at %s", l.Column, strings.Join(points, ", "))
	}
	if len(l.Levels) == 0 {
		return "nothing was found for " + l.Column
	}
	return fmt.Sprintf("%s has the levels %s", l.Column, Names(l.Levels))
}

// Names returns a list of names. Of a long list it has the first names.
func Names(names []string) string {
	const most = 500
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Sampling returns in words which records each step of gradient descent takes.
func Sampling(p train.Plan) string {
	one := recordOf(p.Person)
	switch {
	case p.SamplingProbability > 0:
		return fmt.Sprintf("gradient descent on samples that take each %s with probability %v", one, p.SamplingProbability)
	case p.BatchSize > 0:
		return fmt.Sprintf("gradient descent on random batches of %d %ss", p.BatchSize, one)
	case p.Parts > 0:
		return fmt.Sprintf("gradient descent on the %d parts of one random division of the %ss, in turn", p.Parts, one)
	}
	return fmt.Sprintf("gradient descent on all %ss", one)
}

// recordOf returns the word for a record: row, or person.
func recordOf(u *train.PersonUnit) string {
	if u == nil {
		return "row"
	}
	return "person"
}

// Relation returns a neighboring relation in words.
func Relation(n privacy.Neighboring) string {
	switch n {
	case privacy.AddOrRemoveOne:
		return "adding or removing one row"
	case privacy.ReplaceOne:
		return "replacing one row by another"
	case privacy.ZeroOut:
		return "blanking out one row"
	}
	return n.String()
}

// Weights returns a number of weights in words.
func Weights(n int) string {
	if n == 1 {
		return "1 weight"
	}
	return fmt.Sprintf("%d weights", n)
}

// NetworkSampling returns in words which records a step takes.
func NetworkSampling(p neural.Plan) string {
	s, one := p.Sampling, recordOf(p.Person)
	switch s.Kind {
	case option.SamplingPoisson:
		return fmt.Sprintf("samples that take each %s with probability %v", one, s.Probability)
	case option.SamplingFixedSize:
		return fmt.Sprintf("random batches of %d %ss", s.BatchSize, one)
	case option.SamplingPartition:
		return fmt.Sprintf("the %d parts of one random division of the %ss, in turn", s.Parts, one)
	case option.SamplingShuffle:
		return fmt.Sprintf("the %d parts of random divisions of the %ss, a new one in every round", s.Parts, one)
	case option.SamplingCyclic:
		return fmt.Sprintf("the %d parts of one random division of the %ss, in turn; each %s of a part is taken with probability %v", s.Parts, one, one, s.Probability)
	case option.SamplingTruncated:
		return fmt.Sprintf("samples that take each %s with probability %v, cut at random to %d %ss", one, s.Probability, s.BatchSize, one)
	case option.SamplingFull:
		return fmt.Sprintf("all %ss", one)
	}
	return string(s.Kind)
}

// NetworkClipping returns in words how a record's gradient is bounded.
func NetworkClipping(c neural.Clipping) string {
	norms := make([]float64, len(c.Groups))
	for k, g := range c.Groups {
		norms[k] = g.Norm
	}
	what := "each record's gradient"
	switch m := c.MicroBatch; {
	case m != nil && m.Count == 1:
		what = "the mean over the whole batch"
	case m != nil:
		what = fmt.Sprintf("the means of %d micro-batches", m.Count)
	case len(c.Groups) > 1:
		what = fmt.Sprintf("each of %d parts of a record's gradient", len(c.Groups))
	}
	return fmt.Sprintf("%s by rule %s at L2 norm %s", what, c.Rule, Numbers(norms))
}

// Numbers returns a list of numbers.
func Numbers(numbers []float64) string {
	out := make([]string, len(numbers))
	for i, v := range numbers {
		out[i] = fmt.Sprintf("%.4g", v)
	}
	return strings.Join(out, ", ")
}
