package canary

import (
	"slices"
	"strings"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/train/erm"
)

// kind is a kind of release of this program: one choice of everything that decides what a record
// adds, to which samples it belongs, and which noise hides it. "" is no choice.
type kind struct {
	method, sampling, clipping, noise string
	persons                           bool // a record is all rows of a person
}

// name returns the name of a kind in a report.
func (k kind) name() string {
	words := []string{k.method}
	for _, w := range []string{k.sampling, k.clipping, k.noise} {
		if w != "" {
			words = append(words, w)
		}
	}
	if k.persons {
		words = append(words, "persons")
	}
	return strings.Join(words, ", ")
}

// kinds lists all combinations of methods, samplings, clipping rules, noises and units. The names
// come from the tables of the packages that have them.
func kinds() []kind {
	var list []kind
	cross := func(method string, samplings, clippings, noises []string) {
		for _, sampling := range samplings {
			for _, clipping := range clippings {
				for _, noise := range noises {
					for _, persons := range []bool{false, true} {
						list = append(list, kind{method, sampling, clipping, noise, persons})
					}
				}
			}
		}
	}
	none := []string{""}
	all := []string{option.SamplingFull}
	sampled := slices.DeleteFunc(option.Samplings(), func(s string) bool { return s == option.SamplingFull })
	cross(option.MethodGD, all, option.ClippingModes(), option.Accountings())
	cross(option.MethodSGD, sampled, option.ClippingModes(), option.Accountings())
	var rules []string
	for _, r := range option.ClippingRules() {
		rules = append(rules, r[0])
	}
	cross(option.MethodNetwork, option.Samplings(), rules, append(none, option.CorrelatedKinds()...))
	for _, method := range erm.Names() {
		cross(method, none, solvers(method), noises(method))
	}
	for _, s := range query.Statistics() {
		cross(option.MethodQuery, none, []string{string(s)}, queryNoises)
	}
	for method := range evaluate.Methods() {
		cross(method, none, none, []string{"laplace", "gaussian"})
	}
	cross(option.MethodSelection, none, none, none)
	cross(preparation, none, option.Statistics(), none)
	return list
}

// preparation stands for the statistics of records that are learned before a training.
const preparation = "preparation"

// solvers lists the ways in which a method finds what it perturbs.
func solvers(method string) []string {
	if method == option.MethodOutput {
		return []string{option.SolverExact, option.SolverGradient, option.SolverPermuted}
	}
	return []string{""}
}

// noises lists the noises and choices of a method of package erm.
func noises(method string) []string {
	switch method {
	case option.MethodOutput:
		return []string{option.NoiseGaussian, option.NoiseL1, option.NoiseL2, option.NoiseLInfinity}
	case option.MethodZeroth:
		return []string{option.NoiseGaussian, option.NoiseL1}
	case option.MethodExponential, option.MethodFrankWolfe:
		return []string{option.ChoiceFlip, option.ChoiceExponential}
	}
	return []string{""}
}

// queryNoises are the noises of questions.
var queryNoises = []string{"laplace", "gaussian", "discrete", choosing}

// choosing is the noise of questions whose answers are chosen.
const choosing = "permute-and-flip"

// share returns the share of the canaries of a full audit. The plainest kind of each sampling has all. Where
// each canary has a run of its own, there are fewer.
func (k kind) share() float64 {
	switch k.method {
	case option.MethodGD, option.MethodSGD, option.MethodNetwork:
		switch {
		case k.clipping == "projected":
			return 0.02
		case k.noise == "" && k.clipping == "flat" && !k.persons, !k.persons && k.clipping == option.ClipGradient && k.noise == option.AccountingComposition:
			return 1
		}
		return 0.2
	case option.MethodObjective, option.MethodFrankWolfe:
		return 0.003
	case option.MethodZeroth:
		return 0.005
	case "newton":
		return 0.02
	}
	return 0.05
}

// steps returns how many steps a training of a kind has. Prices of few sampled steps take long, except
// for one step of each record.
func (k kind) steps() int {
	few := k.share() < 1
	switch k.sampling {
	case option.SamplingFull:
		if k.clipping == "projected" {
			return 1
		}
		return 4
	case option.SamplingPartition, option.SamplingShuffle, option.SamplingCyclic:
		if few && k.noise == "" {
			return parts
		}
		return 4 * parts
	case option.SamplingPoisson:
		if !few {
			return 8
		}
	}
	return 1
}

// parts is the number of parts of records that steps use in turn.
const parts = 2

// Reasons why a kind is not attacked.
const (
	noSuch      = "there is no such run: its request is refused"
	noSampling  = "linear models have no such sampling: no request asks for it"
	noPersons   = "the method has no persons as records"
	personsLike = "a person is a record of several positions, whatever its noise and projections; the kinds with rule flat or independent noise are attacked"
	noPrivacy   = "a baseline without privacy has no claim"
	ofOthers    = "every run of a selection is a training and a measurement, which are attacked; the law of the number of runs is held by tests of package sweep"
	ofSums      = "a sum or a choice like those of questions; TestNeighborsMoveEveryStatisticByAtMostItsBound of package train holds how far a record moves it"
	alsoTheOnes = "accounting auto plans one of the other two"
)

// reason says why a kind is not attacked, or "" for one that is.
func (k kind) reason() string {
	switch k.method {
	case option.MethodGD, option.MethodSGD:
		return k.descentReason()
	case option.MethodNetwork:
		return k.networkReason()
	case option.MethodQuery:
		if !slices.Contains(noisesOf(query.Statistic(k.clipping)), k.noise) {
			return noSuch
		}
		return ""
	case option.MethodEvaluation:
		return ""
	case option.MethodSelection:
		return ofOthers
	case preparation:
		return ofSums
	case option.MethodLBFGS:
		return noPrivacy
	}
	if k.persons {
		return noPersons
	}
	return ""
}

// noisesOf lists the noises of a statistic without groups.
func noisesOf(s query.Statistic) []string {
	switch s {
	case "quantiles", "bounds", "radius", "aggregate":
		return queryNoises[3:]
	case "covariance", "correlation":
		return queryNoises[1:2]
	case "count", "sum":
		return queryNoises[:3]
	}
	return queryNoises[:2]
}

// descentReason is reason for gradient descent of linear models.
func (k kind) descentReason() string {
	last := k.noise == option.AccountingLastIterate
	switch {
	case k.noise == option.AccountingAuto:
		return alsoTheOnes
	case k.sampling == option.SamplingTruncated || k.sampling == option.SamplingShuffle || k.sampling == option.SamplingCyclic:
		return noSampling
	case k.persons && (k.sampling == option.SamplingFixedSize || k.clipping != option.ClipGradient && k.clipping != option.ClipDeclaredLipschitz):
		return noSuch
	case last && (k.sampling != option.SamplingFull || k.persons):
		return noSuch
	case last && k.clipping != option.ClipGradient && k.clipping != option.ClipExample:
		return noSuch
	}
	return ""
}

// networkReason is reason for networks.
func (k kind) networkReason() string {
	projected := k.clipping == "projected"
	switch {
	case k.persons && k.sampling == option.SamplingFixedSize:
		return noSuch
	case k.noise == option.CorrelatedBanded && k.sampling != option.SamplingPartition && k.sampling != option.SamplingCyclic:
		return noSuch
	case k.noise == option.CorrelatedTree && k.sampling != option.SamplingShuffle:
		return noSuch
	case projected && (k.noise != "" || k.sampling == option.SamplingFixedSize || k.sampling == option.SamplingTruncated || k.sampling == option.SamplingCyclic):
		return noSuch
	case k.persons && (projected || k.noise != "" && k.clipping != "flat"):
		return personsLike
	}
	return ""
}
