package neural

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/network"
)

// BenchmarkStep is one step of 2048 records as Fit runs it: sample, passes forward and backward, norms, verified exact sum, noise,
// update. The records are like images of 28 × 28.
// Plain is the same without privacy, and without what privacy needs: the weighted sum in float32, no norms, no noise.
func BenchmarkStep(b *testing.B) {
	for _, batch := range []int{2048, 256} {
		rows := imageRows(b, batch)
		for _, c := range []struct {
			name    string
			request Request
		}{{"mlp-784-1000-10", Request{Layers: network.MLP(10, 1000)}}, {"cnn", Request{Input: network.Shape{28, 28, 1}, Layers: network.CNN(10)}}} {
			measure := func(kind string, step func(r *run) error) {
				b.Run(fmt.Sprintf("%s/%d/%s", c.name, batch, kind), func(b *testing.B) {
					r := testRun(b, c.request, ClippingRequest{}, rows)
					r.Plan.NonPrivate, r.noises[0] = false, mechanism.Gaussian{NoiseMultiplier: 1}
					b.ReportAllocs()
					for b.Loop() {
						if err := step(r); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.N)*float64(batch)/b.Elapsed().Seconds(), "examples/s")
				})
			}
			measure("private", func(r *run) error { return r.step() })
			measure("plain", plainStep)
		}
	}
}

// BenchmarkClippings is one private step of 512 records of a network 784-32-10 by exact norms and by norms estimated
// from 20 random directions.
func BenchmarkClippings(b *testing.B) {
	rows := imageRows(b, 512)
	for _, c := range []struct {
		name     string
		clipping ClippingRequest
		noise    mechanism.Noise
	}{
		{"exact", ClippingRequest{}, mechanism.Gaussian{NoiseMultiplier: 1}},
		{"projected", ClippingRequest{Rule: "projected", Projections: 20, Cap: 2}, mechanism.JLClipping{NoiseMultiplier: 1, Projections: 20, Cap: 2, Probability: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := testRun(b, Request{Layers: network.MLP(10, 32)}, c.clipping, rows)
			r.Plan.NonPrivate, r.noises[0] = false, c.noise
			b.ReportAllocs()
			for b.Loop() {
				if err := r.step(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// plainStep is a step of momentum without privacy over all rows.
func plainStep(r *run) error {
	records, chunk := upTo(r.rows.Len()), r.chunk()
	var sums [][]float32
	var lock sync.Mutex
	ones := make([]float32, chunk)
	for i := range ones {
		ones[i] = 1
	}
	err := r.share((len(records)+chunk-1)/chunk, func(w *worker) func(part int) error {
		sum := make([]float32, len(r.weights))
		lock.Lock()
		sums = append(sums, sum)
		lock.Unlock()
		return func(part int) error {
			factors, err := w.factors(records[part*chunk : min(len(records), (part+1)*chunk)])
			at := 0
			for _, f := range factors {
				w.space.AddSum(sum[at:at+f.Numbers()], f, ones[:f.Records])
				at += f.Numbers()
			}
			return err
		}
	}, func(*worker) error { return nil })
	for _, sum := range sums {
		for j, g := range sum {
			r.numbers[j] -= 1e-6 * g
		}
	}
	return err
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// imageRows are records like images of 28 × 28.
func imageRows(b *testing.B, batch int) *release.Rows {
	labels := make([]float32, batch)
	rows, err := release.NewRows(batch, release.RowsOptions{Dim: 784, Step: 1.0 / 255, Type: release.Uint8, Labels: labels}, func(dst []float64, first, _ int) {
		r := rand.New(rand.NewPCG(3, uint64(first)))
		for j := range dst {
			dst[j] = max(0, 1.2*r.Float64()-0.7)
		}
		for i := range labels[first:min(batch, first+64)] {
			labels[first+i] = float32((first + i) % 10)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// BenchmarkTextStep is one step of 1024 records of 240 words out of 65536, of which each has an embedding of 32 numbers.
func BenchmarkTextStep(b *testing.B) {
	const batch, words, buckets = 1024, 240, 1 << 16
	labels := make([]float32, batch)
	rows, err := release.NewSparseRows(batch, release.RowsOptions{Dim: buckets, Step: 1.0 / (1 << 15), Labels: labels}, func(i int, index []uint32, v []float64) ([]uint32, []float64) {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		labels[i] = float32(i % 2)
		for at := r.IntN(buckets / words); at < buckets; at += 1 + r.IntN(2*buckets/words) {
			index, v = append(index, uint32(at)), append(v, 1.0/16)
		}
		return index, v
	})
	if err != nil {
		b.Fatal(err)
	}
	r := testRun(b, Request{Layers: network.Layers{network.SparseLinear{Outputs: 32}, network.Linear{Outputs: 1}}}, ClippingRequest{}, rows)
	r.Plan.NonPrivate, r.noises[0] = false, mechanism.Gaussian{NoiseMultiplier: 1}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*batch/b.Elapsed().Seconds(), "examples/s")
}
