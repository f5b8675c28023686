package scoreaudit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/auditing"
)

// peer is a training of another program with canaries, which bench/peers has in Python: how it
// scores a canary, what its author claims, and whether the audit refutes the claim.
type peer struct {
	name, event string
	flags       string
	canaries    int
	score       func(r *rand.Rand, included bool) float64
	want        auditing.Verdict
}

// summed returns the score of a canary in 16 sums of all records, with noise of a deviation. A canary
// adds 1, and what it is without in each sum.
func summed(deviation, without float64) func(*rand.Rand, bool) float64 {
	return func(r *rand.Rand, included bool) float64 {
		sum, adds := 0.0, without
		if included {
			adds = 1
		}
		for range 16 {
			sum += adds + deviation*r.NormFloat64()
		}
		return sum
	}
}

// These are the steps of an epoch, the records of a batch and the deviation of its noise.
const (
	epoch      = 100
	batchSize  = 4
	batchNoise = 0.6
)

// shuffled returns the score of a canary in an epoch of shuffled batches, where every other record
// has the opposite gradient (Chua et al. 2024). A batch sums up to 2 with the canary, to 1 with a
// blank record in its place, and to 0 without it.
func shuffled(r *rand.Rand, included bool) float64 {
	at := r.IntN(epoch)
	with, blank := make([]float64, epoch), make([]float64, epoch)
	for t := range epoch {
		y := batchNoise * r.NormFloat64()
		if t == at && included {
			y += 2
		} else if t == at {
			y++
		}
		with[t], blank[t] = (2*y-2)/(batchNoise*batchNoise), (y-0.5)/(batchNoise*batchNoise)
	}
	return logSum(with) - logSum(blank)
}

// sampled returns the score of a canary in the same steps on Poisson samples. The other records are
// known to it.
func sampled(r *rand.Rand, included bool) float64 {
	sum := 0.0
	for range epoch {
		y := batchNoise * r.NormFloat64()
		if included && r.IntN(epoch) == 0 {
			y++
		}
		sum += math.Log1p(math.Expm1((2*y-1)/(2*batchNoise*batchNoise)) / epoch)
	}
	return sum
}

// logSum returns the logarithm of the sum of exponentials.
func logSum(values []float64) float64 {
	most, sum := slices.Max(values), 0.0
	for _, v := range values {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// TestFaultsOfPeersAreConvicted draws the scores of three faults that other programs had, and of
// programs without them, writes them as files, and audits the claims of their authors at confidence
// 1 - 1e-6. Seeds are fixed.
func TestFaultsOfPeersAreConvicted(t *testing.T) {
	const steps, batches = "repeat(16, gaussian(4))", "repeat(100, poisson(0.01, gaussian(0.6)))"
	for _, p := range []peer{
		{"correct", steps, "--design independent", 4000, summed(4, 0), auditing.NotRefuted},
		{"the noise of the mean of 2000 records", steps, "--design independent", 4000, summed(4.0/2000, 0), auditing.Refuted},
		{"correct under replace-one", "repeat(16, gaussian(8))", "--design independent --neighboring replace-one", 4000, summed(8, -1), auditing.NotRefuted},
		{"without the factor of two under replace-one", "repeat(16, gaussian(8))", "--design independent --neighboring replace-one", 4000, summed(4, -1), auditing.Refuted},
		{"Poisson samples", batches, "--design runs --neighboring zero-out", 2000, sampled, auditing.NotRefuted},
		{"shuffled batches priced as Poisson samples", batches, "--design runs --neighboring zero-out", 2000, shuffled, auditing.Refuted},
	} {
		r := rand.New(rand.NewPCG(6, 7))
		var b strings.Builder
		b.WriteString("score,included\n")
		for range p.canaries {
			included := r.IntN(2) == 1
			fmt.Fprintf(&b, "%v,%v\n", p.score(r, included), included)
		}
		flags := append([]string{"--scores", write(t, b.String()), "--delta", "1e-5", "--confidence", "0.999999"}, strings.Fields(p.flags)...)
		got, err := run(t, p.event, flags...)
		if err != nil || got.Verdict != p.want {
			t.Errorf("%s: got %v, %v, want %v", p.name, got.Verdict, err, p.want)
		}
	}
}
