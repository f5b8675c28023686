package planaudit

import (
	"fmt"
	"math"
	"runtime"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/train"
)

// size is how many trainings an attack has, and how many canaries each.
type size struct {
	runs, canaries int
	// references are further trainings that calibrate scores and are not counted.
	references int
}

// words are the size in words.
func (s size) words() string {
	words := fmt.Sprintf("%s with %d canaries each", display.Count(s.runs, "run"), s.canaries)
	if s.canaries == 1 {
		words = fmt.Sprintf("%s with 1 canary each", display.Count(s.runs, "run"))
	}
	if s.references > 0 {
		words += fmt.Sprintf(" and %d further runs, which calibrate scores and whose coins are not counted,", s.references)
	}
	return words
}

// whiteSeconds and blackSeconds are about how long the attack on the steps and that on the final
// model take at effort 1.
const whiteSeconds, blackSeconds = 40, 70

const (
	// mostAlone bounds the trainings with one canary each. From leastAlone on they find more than
	// fewer trainings with several canaries.
	mostAlone, leastAlone = 4000, 100
	// fewTogether and manyTogether are the canaries of a training that takes too long to have one
	// alone. The second is for trainings that happen a few times only.
	fewTogether, manyTogether = 20, 500
	// mostReferences bounds the reference trainings.
	mostReferences = 16
)

// sizeFor returns the size of an attack of some seconds, for the seconds of one training.
func (o Options) sizeFor(one, all float64) size {
	s := size{runs: o.Runs, canaries: o.Canaries}
	if s.runs == 0 {
		affordable := math.Ceil(o.Effort * all * float64(runtime.GOMAXPROCS(0)) / max(one, 1e-6))
		s.runs = int(max(1, min(affordable, math.Ceil(mostAlone*max(1, o.Effort)))))
	}
	switch {
	case s.canaries > 0:
	case s.runs >= leastAlone:
		s.canaries = 1
	case s.runs >= 2*leastReferences:
		s.canaries = fewTogether
	default:
		s.canaries = manyTogether
	}
	if s.canaries > 1 && s.runs >= 2*leastReferences {
		s.references = max(leastReferences, min(mostReferences, s.runs/4))
	}
	return s
}

const (
	// descentCanaries is the number of canaries of the attack on the steps of gradient descent, at
	// effort 1. descentRun bounds the canaries of a run.
	descentCanaries, descentRun = 20_000, 1000
	// mostNumbers bounds the numbers of all iterates of a run. mostWork bounds the numbers of all
	// runs at effort 1.
	mostNumbers, mostWork = 1 << 24, 1e9
	// leastResidual is about the least derivative of a canary's loss.
	leastResidual = 0.7
)

// descentSize returns the size of the attack on the steps of gradient descent.
func (o Options) descentSize(d train.Plan) size {
	blocks := 1.0
	if d.LastIterate == nil {
		blocks = float64(blocksFor(d, leastResidual))
	}
	each := float64(d.Steps) * float64(d.Columns) * blocks // the numbers of a canary in all iterates
	total := int(o.Effort * min(descentCanaries, max(200, mostWork/each)))
	most := max(1, min((d.MaxRecords-1)/rowsOf(d), int(mostNumbers/each)))
	if d.LastIterate != nil {
		most = min(most, d.Dim) // its price is proved for the width of the plan
	}
	s := size{canaries: o.Canaries, runs: o.Runs}
	if s.canaries == 0 {
		s.canaries = min(descentRun, max(20, total))
	}
	s.canaries = min(s.canaries, most)
	if s.runs == 0 {
		s.runs = max(1, (total+s.canaries-1)/s.canaries)
	}
	return s
}
