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

// These are the names of the distributions of the number of runs of a private choice.
const (
	lawGeometric   = "geometric"
	lawLogarithmic = "logarithmic"
	lawBinomial    = "negative-binomial"
	lawPoisson     = "poisson"
)

// RunCountDistribution is the distribution of the number K of runs of a private selection. The cost
// of a selection is proven for every distribution of this type (Papernot & Steinke, "Hyperparameter
// Tuning with Renyi Differential Privacy", ICLR 2022, https://arxiv.org/abs/2110.03620).
//
// The negative binomial distribution of shape η > -1 is truncated to K ≥ 1. The probability of K =
// k is proportional to (1-γ)^k·Π (l+η)/(l+1), where the product is over l from 0 to k-1. The mean
// determines γ in (0, 1). The source defines this distribution in definition 1 and proves its cost
// in theorem 2. The geometric distribution is η = 1, with probabilities (1-γ)^(k-1)·γ. The
// logarithmic distribution is η = 0, with probabilities proportional to (1-γ)^k/k. A smaller shape
// has a larger variance and costs less at the same mean.
//
// The Poisson distribution gives K = k the probability e^-Mean·Mean^k/k!. Theorem 6 of the source
// states its cost. K may be 0: then only the fact that there was no run is released. K is usually
// close to its mean.
type RunCountDistribution struct {
	// Name is "geometric", "logarithmic", "negative-binomial" or "poisson".
	Name string `json:"law"`
	// Shape is the parameter η of the negative binomial distribution. It is a multiple of 1/16,
	// above -1 and at most 16. It is 0 for other distributions.
	Shape float64 `json:"shape,omitempty"`
	// Mean is an upper bound on the mean number of runs. For the geometric and the Poisson
	// distribution it is the mean. For the other distributions the true mean is slightly smaller,
	// because a parameter of the distribution is rounded.
	Mean int `json:"mean"`
}

const (
	// maxSelectionMean bounds the mean number of runs.
	maxSelectionMean = 10_000
	// shapeParts is the number of parts of a unit of shape. maxShape is the largest shape.
	shapeParts, maxShape = 16, 16
	// successBits is the number of bits of γ after the point. leastSuccess is the least γ for
	// drawing, times 2^successBits. Below it the distribution has so wide a tail that counts of
	// millions occur.
	successBits, leastSuccess = 40, 1 << 20
)

// ParseLaw returns the distribution that a text describes. The text has the form geometric:MEAN,
// logarithmic:MEAN, negative-binomial:SHAPE:MEAN or poisson:MEAN.
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

// String returns the distribution as text, in the form that ParseLaw reads.
func (l RunCountDistribution) String() string {
	if l.Name == lawBinomial {
		return fmt.Sprintf("%s:%v:%d", l.Name, l.Shape, l.Mean)
	}
	return fmt.Sprintf("%s:%d", l.Name, l.Mean)
}

// validate refuses a distribution that no theorem prices or that cannot be drawn.
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

// shape returns η for events, +Inf for the Poisson distribution.
func (l RunCountDistribution) shape() float64 {
	switch l.Name {
	case lawGeometric:
		return 1
	case lawPoisson:
		return math.Inf(1)
	}
	return l.Shape
}

// event returns the event of the best of K runs.
func (l RunCountDistribution) event(run mechanism.Event) mechanism.Event {
	return mechanism.RepeatAndSelect{Shape: l.shape(), Mean: float64(l.Mean), Event: run}
}

// success returns the γ for drawing, times 2^successBits. It is rounded up by a part in 10^9 and to
// an integer. The bound of theorem 2 falls in γ, both in log(1/γ) and through the mean. The event
// has γ rounded down. So the drawn distribution costs at most what the event charges.
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

// meanAt returns the mean of the truncated negative binomial distribution at log γ. It is
// η(1-γ)/(γ(1-γ^η)), and at shape 0 (1/γ-1)/log(1/γ).
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

// tailRuns returns a number of runs k that is exceeded with probability below 2^-180.
//
//  1. Geometric: the probability is (1-1/Mean)^(125·Mean), at most e^-125.
//  2. Negative binomial of shape at most 1: the same holds with γ for 1/Mean. Each probability is
//     at most 1-γ times the one before.
//  3. Larger shapes: Markov's inequality for (1-γ/2)^-K gives e^(-γk/2)·2^η/(1-γ^η). γ is at most
//     15/16 if the mean is at least 2.
//  4. Poisson: Chernoff's bound, e^-Mean·(e/125)^(125·Mean), is less.
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

// NoRuns returns the probability that there is no run, and therefore no model. It is e^-Mean for
// the Poisson distribution. For other distributions it is 0.
func (l RunCountDistribution) NoRuns() float64 {
	if l.Name == lawPoisson {
		return math.Exp(-float64(l.Mean))
	}
	return 0
}

// draw draws a number of runs, by integers alone, so that it has exactly the distribution's
// probabilities.
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

// coin draws integers from a source of random bytes. After an error it answers "no" to everything,
// which ends every loop.
type coin struct {
	random io.Reader
	err    error
}

// newCoin returns a coin on the system's cryptographic source.
func newCoin() *coin { return &coin{random: bufio.NewReader(rand.Reader)} }

// comes returns true with probability part/whole.
func (c *coin) comes(part, whole uint64) bool {
	v := c.below(whole)
	return c.err == nil && v < part
}

// below draws an integer from 0 to below n, each with the same probability. It draws bits again
// until they are below n. It returns 0 after an error.
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

// poisson draws from the Poisson distribution of mean 1 by rejection. A proposal k has probability
// 2^-(k+1) and is kept with probability 2^(k-1)/k!, which is at most 1. The product is 1/(4·k!), in
// proportion to the distribution.
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
// success/2^successBits and a shape of this number of parts. A shape of at most 0 is drawn by
// rejection from 1 on. A larger shape is the sum of draws of shapes in (0, 1] that add up to it,
// each from 0 on. It is drawn again if the sum is 0.
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

// binomial draws from the negative binomial distribution of a shape η in (-1, 1], from a first
// number on. A proposal grows by one with probability 1-γ and ends otherwise. Growth from l to l+1
// is accepted with probability (l+η)/(l+1); otherwise the draw begins again. So k has a probability
// in proportion to (1-γ)^k times the product of these.
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
