package explain

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// explainEvent returns the explanation of an event: its release, its cost and the meaning of the
// cost. chosen are sentences on the choice of its relation, if there is anything to say.
func explainEvent(q Question, chosen []string) (Explanation, error) {
	answer, err := q.Answer()
	if err != nil {
		return Explanation{}, err
	}
	out := Explanation{Kind: "event", Title: "An event: " + answer.Claim.text(), Event: answer.Event, Claim: &answer.Claim, Attacker: answer.Attacker}
	out.Sections = append(out.Sections, section{Title: "what is released", Lines: eventLines(q.Event, 0)},
		section{Title: "whose privacy is counted", Lines: linesOf(append([]string{relationSentence(q.Neighboring)}, chosen...)...)})
	if out.Releases, err = releaseCosts(branchesOf(q.Event), q.Delta, q.Neighboring); err != nil {
		return out, err
	}
	out.addCosts()
	meaning := section{Title: "what that means, for one " + protected(answer)}
	if answer.Attacker != nil {
		meaning.Lines = linesOf(answer.Attacker.Words...)
	}
	if answer.Group != nil {
		meaning.Lines = append(meaning.Lines, line{Text: "For several rows of one person: " + answer.Group.text() + "."})
	}
	out.Sections = append(out.Sections, meaning,
		section{Title: "what this rests on", Lines: linesOf("The event is what is claimed to be released. Only a certificate, which dither train, query and evaluate write, ties it to a run.",
			fmt.Sprintf("The cost was proved by accountant %s; dither account shows what the others say.", answer.Claim.Accountant))})
	return out, nil
}

// relationSentence returns a sentence on the two tables that are compared.
func relationSentence(n privacy.Neighboring) string {
	switch n {
	case privacy.AddOrRemoveOne:
		return "add-or-remove-one: the records with and without any one of them are compared; how many there are is private."
	case privacy.ReplaceOne:
		return "replace-one: the records with any one of them exchanged for any other are compared; how many there are is public."
	}
	return "zero-out: the records with any one of them blanked out are compared; how many there are is public."
}

// eventLines returns an event in words, with its parts indented below it.
func eventLines(e mechanism.Event, depth int) []line {
	if s, ok := e.(mechanism.Sequence); ok && len(s) == 1 {
		return eventLines(s[0], depth)
	}
	text, parts := eventWords(e)
	lines := []line{{text, depth}}
	for _, part := range parts {
		lines = append(lines, eventLines(part, depth+1)...)
	}
	return lines
}

// eventWords returns an event in words, and the events that it is made of.
func eventWords(e mechanism.Event) (words string, parts []mechanism.Event) {
	switch e := e.(type) {
	case mechanism.Repeat:
		return fmt.Sprintf("%d times, each with fresh randomness:", e.Count), []mechanism.Event{e.Event}
	case mechanism.Sequence:
		return fmt.Sprintf("%d releases from the same records, which add up:", len(e)), e
	case mechanism.Parallel:
		return fmt.Sprintf("%d releases, each from a part of the records of its own, so that a record pays for one of them:", len(e)), e
	case mechanism.NonPrivate:
		return "something without protection, which may disclose any record", nil
	}
	if words, parts, ok := sampledWords(e); ok {
		return words, parts
	}
	if words, ok := seriesWords(e); ok {
		return words, nil
	}
	return noiseEventWords(e), nil
}

// times returns a noise multiplier as text.
func times(z float64) string { return display.Nearest(z, 6) }

// noiseEventWords returns releases with noise, and private choices, in words.
func noiseEventWords(e mechanism.Event) string {
	switch e := e.(type) {
	case mechanism.Gaussian:
		return fmt.Sprintf("a sum of one bounded contribution a record, with normal noise of standard deviation %s times the most that one record can contribute", times(e.NoiseMultiplier))
	case mechanism.Laplace:
		return fmt.Sprintf("a number, with Laplace noise of scale %s times the most that one record can contribute", times(e.NoiseMultiplier))
	case mechanism.KNorm:
		return fmt.Sprintf("numbers, with noise whose density falls with its norm, of scale %s times the most that one record can contribute in that norm", times(e.NoiseMultiplier))
	case mechanism.DiscreteGaussian:
		return fmt.Sprintf("an integer that one record moves by at most %d, with normal noise on the integers of standard deviation %s", e.Sensitivity, times(e.StandardDeviation))
	case mechanism.DiscreteLaplace:
		return fmt.Sprintf("an integer that one record moves by at most %d, with Laplace noise on the integers of scale %s", e.Sensitivity, times(e.Scale))
	case mechanism.RandomizedResponse:
		return fmt.Sprintf("one of %d answers, which is drawn at random with probability %s and true otherwise", e.Outcomes, display.Plain(e.Probability))
	case mechanism.Exponential:
		return fmt.Sprintf("a choice among candidates, a better one being likelier, of epsilon %s by itself (the exponential mechanism)", times(e.Epsilon))
	case mechanism.PermuteAndFlip:
		return fmt.Sprintf("a choice among candidates, a better one being likelier, of epsilon %s by itself (permute and flip)", times(e.Epsilon))
	case mechanism.AssumedDP:
		return fmt.Sprintf("something whose epsilon, %s at delta %s, is taken on trust, under %v", times(e.Epsilon), display.Plain(e.Delta), e.Neighboring)
	case mechanism.AssumedZCDP:
		return fmt.Sprintf("something whose %s-zero-concentrated privacy is taken on trust, under %v", times(e.Rho), e.Neighboring)
	case mechanism.AssumedXiZCDP:
		return fmt.Sprintf("something whose (%s, %s)-zero-concentrated privacy is taken on trust, under %v", times(e.Xi), times(e.Rho), e.Neighboring)
	case mechanism.AdaptiveClipping:
		return fmt.Sprintf("a sum of clipped gradients with normal noise of %s times the clipping norm, and a count of those within the norm with noise of standard deviation %s", times(e.NoiseMultiplier), times(e.CountNoise))
	case mechanism.MixtureOfGaussians:
		return fmt.Sprintf("a sum with normal noise of standard deviation %s, which a person moves by one of %d amounts, each with its probability", times(e.NoiseMultiplier), len(e.Sensitivities))
	case mechanism.ObjectivePerturbation:
		return fmt.Sprintf("the minimizer of a sum of losses, a ridge and a random linear term of standard deviation %s times the bound of one record's gradient", times(e.NoiseMultiplier))
	}
	return "the release " + e.String()
}

// sampledWords returns samples of records, and random repetition, in words.
func sampledWords(e mechanism.Event) (words string, parts []mechanism.Event, ok bool) {
	switch e := e.(type) {
	case mechanism.PoissonSampled:
		return fmt.Sprintf("from a fresh random sample that takes each record with probability %s, by a coin of its own:", display.Plain(e.Probability)), []mechanism.Event{e.Event}, true
	case mechanism.TruncatedPoisson:
		return fmt.Sprintf("from a fresh random sample that takes each of at most %d records with probability %s and keeps at most %d of them:", e.Records, display.Plain(e.Probability), e.MaxBatch), []mechanism.Event{e.Event}, true
	case mechanism.WithoutReplacement:
		return fmt.Sprintf("from %d of %d records, drawn at random:", e.Batch, e.Records), []mechanism.Event{e.Event}, true
	case mechanism.WithReplacement:
		return fmt.Sprintf("from %d draws out of %d records, where a record may be drawn again:", e.Batch, e.Records), []mechanism.Event{e.Event}, true
	case mechanism.Partition:
		return fmt.Sprintf("from each of %d parts into which the records are divided at random, one after the other, so that a record pays once a round:", e.Parts), []mechanism.Event{e.Event}, true
	case mechanism.RandomAllocation:
		return fmt.Sprintf("at each of %d steps, on the records allocated to it; each record takes part in one step, drawn at random and kept secret:", e.Steps), []mechanism.Event{e.Event}, true
	case mechanism.RepeatAndSelect:
		return fmt.Sprintf("the best of a random number of runs, %s in the mean, by the %s law (private tuning); one run is:", times(e.Mean), runsLaw(e.Shape)), []mechanism.Event{e.Event}, true
	}
	return "", nil, false
}

// runsLaw returns the name of the distribution of a number of runs by its shape.
func runsLaw(shape float64) string {
	switch {
	case math.IsInf(shape, 1):
		return "Poisson"
	case shape == 1:
		return "geometric"
	case shape == 0:
		return "logarithmic"
	}
	return fmt.Sprintf("negative binomial, of shape %v,", shape)
}

// seriesWords returns series of steps that are priced as a whole in words.
func seriesWords(e mechanism.Event) (words string, ok bool) {
	switch e := e.(type) {
	case mechanism.LastIterate:
		return fmt.Sprintf("the end of %d steps of gradient descent with noise of %s times the bound in each, no step before it leaving", e.Steps, times(e.NoiseMultiplier)), true
	case mechanism.LastIterateConvex:
		return fmt.Sprintf("the end of %d steps of gradient descent on a bounded set, with noise of %s times the bound in each, no step before it leaving", e.Steps, times(e.NoiseMultiplier)), true
	case mechanism.TreeAggregation:
		return fmt.Sprintf("the running sums of %d steps, each record being in one, from a tree of sums with normal noise of %s times the bound of one record", e.Steps, times(e.NoiseMultiplier)), true
	case mechanism.BandedMatrix:
		words = fmt.Sprintf("the sums of %d steps with noise that cancels in part over %d steps in a row, made of normal noise of %s times the bound of one record; a record takes part once in as many steps at most", e.Steps, e.Bands, times(e.NoiseMultiplier))
		if e.Probability < 1 {
			words += fmt.Sprintf(", with probability %s", display.Plain(e.Probability))
		}
		return words, true
	case mechanism.JLClipping:
		words = fmt.Sprintf("a sum of gradients whose norms were estimated by %d random projections, with normal noise of %s times the clipping norm", e.Projections, times(e.NoiseMultiplier))
		if e.Probability < 1 {
			words += fmt.Sprintf(", from a sample that takes each record with probability %s", display.Plain(e.Probability))
		}
		return words, true
	}
	return "", false
}
