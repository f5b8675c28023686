package sweep

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/mechanism"
)

// Names of the distributions of the number of runs of a private choice.
const (
	lawGeometric   = "geometric"
	lawLogarithmic = "logarithmic"
	lawBinomial    = "negative-binomial"
	lawPoisson     = "poisson"
)

// RunCountDistribution is the distribution of the number K of runs of a private choice, one that
// has a price (Papernot & Steinke, "Hyperparameter Tuning with Renyi Differential Privacy", ICLR
// 2022, https://arxiv.org/abs/2110.03620). The negative binomial distribution of shape η > -1,
// truncated to K ≥ 1, has the probabilities (1-γ)^k·Π (l+η)/(l+1) over l below k, divided by their
// sum (definition 1; priced by theorem 2): geometric is η = 1, (1-γ)^(k-1)·γ, and logarithmic is
// η = 0, (1-γ)^k/k. Poisson is e^-Mean·Mean^k/k! (theorem 6), with K = 0 among them: then there is
// no run and nothing is released but that. A smaller shape spreads K wider and costs less at the
// same mean. Poisson keeps K close to its mean, and its price has no term in log 1/γ.
type RunCountDistribution struct {
	Name string `json:"law"`
	// Shape is η of the negative binomial distribution, an integer of sixteenths above -1 and at
	// most 16. So float64 and integers have the same; 0 with other distributions.
	Shape float64 `json:"shape,omitempty"`
	// Mean bounds the mean of K. It is exact for the geometric and the Poisson distribution. For
	// the others it is reached up to the rounding of γ, which errs toward fewer runs.
	Mean int `json:"mean"`
}

const (
	// maxSelectionMean bounds the mean number of runs.
	maxSelectionMean = 10_000
	// shapeParts is how many parts a shape has, and maxShape the largest.
	shapeParts, maxShape = 16, 16
	// successBits are those after the point of γ, and leastSuccess is the least γ that is drawn
	// with, times 2^successBits. Below it the distribution has so wide a tail that counts of
	// millions come up.
	successBits, leastSuccess = 40, 1 << 20
)

// ParseLaw reads geometric:MEAN, logarithmic:MEAN, negative-binomial:SHAPE:MEAN or poisson:MEAN.
func ParseLaw(text string) (RunCountDistribution, error) {
	parts := strings.Split(text, ":")
	l := RunCountDistribution{Name: parts[0]}
	var err error
	if l.Name == lawBinomial && len(parts) == 3 {
		l.Shape, err = strconv.ParseFloat(parts[1], 64)
		parts = slices.Delete(parts, 1, 2)
	}
	if err == nil && len(parts) == 2 && (l.Name != lawBinomial || strings.Count(text, ":") == 2) {
		if l.Mean, err = strconv.Atoi(parts[1]); err == nil {
			return l, l.validate()
		}
	}
	return RunCountDistribution{}, fmt.Errorf("sweep: the law of the number of runs is %q, want geometric:MEAN, logarithmic:MEAN, negative-binomial:SHAPE:MEAN or poisson:MEAN with a whole mean number of runs, such as geometric:10", text)
}

// String is what ParseLaw reads.
func (l RunCountDistribution) String() string {
	if l.Name == lawBinomial {
		return fmt.Sprintf("%s:%v:%d", l.Name, l.Shape, l.Mean)
	}
	return fmt.Sprintf("%s:%d", l.Name, l.Mean)
}

// validate refuses a distribution that no theorem prices or that cannot be drawn from.
func (l RunCountDistribution) validate() error {
	if l.Mean < 1 || l.Mean > maxSelectionMean {
		return fmt.Errorf("sweep: the mean number of runs is %d, want 1 to %d", l.Mean, maxSelectionMean)
	}
	switch {
	case l.Name == lawGeometric || l.Name == lawPoisson:
		if l.Shape != 0 {
			return fmt.Errorf("sweep: the %s law has shape %v, want none", l.Name, l.Shape)
		}
		return nil
	case l.Name == lawLogarithmic && l.Shape == 0:
	case l.Name == lawBinomial && l.Shape > -1 && l.Shape <= maxShape && l.Shape*shapeParts == math.Floor(l.Shape*shapeParts):
	case l.Name == lawBinomial:
		return fmt.Errorf("sweep: the shape of the negative binomial law is %v, want more than -1, at most %d and a multiple of 1/%d, such as -0.5, 0 or 0.25", l.Shape, maxShape, shapeParts)
	default:
		return fmt.Errorf("sweep: the law of the number of runs is %q, want %s, %s, %s or %s", l.Name, lawGeometric, lawLogarithmic, lawBinomial, lawPoisson)
	}
	if l.Mean < 2 {
		return fmt.Errorf("sweep: the mean number of runs of the law %s is %d, want at least 2, since a mean of 1 is one run; train makes that", l.Name, l.Mean)
	}
	if l.success() < leastSuccess {
		return fmt.Errorf("sweep: the law %s has so wide a tail that millions of runs can come up, want a smaller mean or a larger shape", l)
	}
	return nil
}

// shape is η as events have it, +Inf for the Poisson distribution.
func (l RunCountDistribution) shape() float64 {
	switch l.Name {
	case lawGeometric:
		return 1
	case lawPoisson:
		return math.Inf(1)
	}
	return l.Shape
}

// event is the best of K times an event.
func (l RunCountDistribution) event(run mechanism.Event) mechanism.Event {
	return mechanism.RepeatAndSelect{Shape: l.shape(), Mean: float64(l.Mean), Event: run}
}

// success is γ times 2^successBits that is drawn with, rounded up by a part in 10^9 and to an
// integer. The bound of theorem 2 falls in γ, in log(1/γ) and through the mean alike. So the
// distribution that is drawn costs at most what the event charges, which has γ from below.
func (l RunCountDistribution) success() uint64 {
	low, high := math.Log(0x1p-60), 0.0 // log γ; the mean falls in γ
	for range 200 {
		middle := (low + high) / 2
		if l.meanAt(middle) > float64(l.Mean) {
			low = middle
		} else {
			high = middle
		}
	}
	return min(1<<successBits, uint64(math.Ceil(math.Exp(high)*(1+1e-9)*(1<<successBits))))
}

// meanAt is the mean of the truncated negative binomial distribution at log γ: η(1-γ)/(γ(1-γ^η)),
// and at shape 0 (1/γ-1)/log(1/γ).
func (l RunCountDistribution) meanAt(logarithm float64) float64 {
	if logarithm == 0 {
		return 1
	}
	eta := l.shape()
	if eta == 0 {
		return math.Expm1(-logarithm) / -logarithm
	}
	return eta * math.Expm1(-logarithm) / -math.Expm1(eta*logarithm)
}

// tailRuns is a number of runs that is exceeded with probability below 2^-180. Under the geometric
// distribution it is with (1-1/Mean)^(125·Mean), at most e^-125. So it is under every negative
// binomial distribution of shape at most 1, with γ for 1/Mean, since a probability is at most 1-γ
// times the one before. For larger shapes Markov's inequality for (1-γ/2)^-K gives
// e^(-γk/2)·2^η/(1-γ^η), and γ is at most 15/16 from a mean of 2 on. Under the Poisson distribution
// Chernoff's bound, e^-Mean·(e/125)^(125·Mean), is less.
func (l RunCountDistribution) tailRuns() int {
	const tail, wideTail = 125, 300
	switch {
	case l.Name == lawGeometric || l.Name == lawPoisson:
		return tail * l.Mean
	case l.Shape <= 1:
		return int(math.Ceil(tail * (1 << successBits) / float64(l.success())))
	}
	return int(math.Ceil(wideTail * (1 << successBits) / float64(l.success())))
}

// NoRuns is the probability that there is no run, and thus no model: e^-Mean under the Poisson
// distribution, else 0.
func (l RunCountDistribution) NoRuns() float64 {
	if l.Name == lawPoisson {
		return math.Exp(-float64(l.Mean))
	}
	return 0
}

// draw draws a number of runs, by integers alone, so that its probabilities are those of the
// distribution.
func (l RunCountDistribution) draw(c *coin) (int, error) {
	count := 0
	switch l.Name {
	case lawGeometric:
		for count = 1; c.comes(uint64(l.Mean)-1, uint64(l.Mean)); count++ {
		}
	case lawPoisson:
		for range l.Mean {
			count += c.poisson()
		}
	default:
		count = c.truncated(l.success(), int(l.Shape*shapeParts))
	}
	return count, c.err
}

// coin draws integers from a source of random bytes. After an error it says "no" to everything,
// which ends every loop.
type coin struct {
	random io.Reader
	err    error
}

// newCoin draws from the system's cryptographic source.
func newCoin() *coin { return &coin{random: bufio.NewReader(rand.Reader)} }

// comes is true with probability part/whole.
func (c *coin) comes(part, whole uint64) bool {
	v := c.below(whole)
	return c.err == nil && v < part
}

// below draws an integer from 0 to below n, each with the same probability: bits are drawn again
// until they are below. It is 0 after an error.
func (c *coin) below(n uint64) uint64 {
	var b [8]byte
	for c.err == nil {
		if _, err := io.ReadFull(c.random, b[:]); err != nil {
			c.err = fmt.Errorf("sweep: the system has no random numbers: %w", err)
			break
		}
		if v := binary.LittleEndian.Uint64(b[:]) >> bits.LeadingZeros64(n-1); v < n {
			return v
		}
	}
	return 0
}

// poisson draws from the Poisson distribution of mean 1 by rejection: a proposal k has probability
// 2^-(k+1), and is kept with 2^(k-1)/k!, which is a half of its ratio to e·(1/k!)/2, and at most 1.
func (c *coin) poisson() int {
	for c.err == nil {
		k := 0
		for c.comes(1, 2) {
			k++
		}
		kept := k > 0 || c.comes(1, 2)
		for j := 3; j <= k && kept; j++ {
			kept = c.comes(2, uint64(j))
		}
		if kept {
			return k
		}
	}
	return 0
}

// truncated draws from the negative binomial distribution truncated to at least 1, at γ =
// success/2^successBits and a shape of this many parts. A shape of at most 0 is drawn by rejection
// from 1 on. A larger one is the sum of numbers of shapes in (0, 1] that add up to it, each with 0,
// drawn again where the sum is 0.
func (c *coin) truncated(success uint64, parts int) int {
	if parts <= 0 {
		return c.binomial(success, parts, 1)
	}
	for c.err == nil {
		sum := 0
		for left := parts; left > 0; left -= shapeParts {
			sum += c.binomial(success, min(left, shapeParts), 0)
		}
		if sum > 0 {
			return sum
		}
	}
	return 0
}

// binomial draws from the negative binomial distribution of a shape η in (-1, 1] from a first
// number on: a proposal grows by one with probability 1-γ and ends otherwise. The growth from l to
// l+1 is accepted with probability (l+η)/(l+1), else all begins again. So k comes up with a
// probability in proportion to (1-γ)^k times the product of these.
func (c *coin) binomial(success uint64, parts, first int) int {
	const whole = 1 << successBits
	for k := first; c.err == nil; {
		if !c.comes(whole-success, whole) {
			return k
		}
		if c.comes(uint64(k*shapeParts+parts), uint64((k+1)*shapeParts)) {
			k++
		} else {
			k = first
		}
	}
	return 0
}
