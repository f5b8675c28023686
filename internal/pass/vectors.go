package pass

import (
	"runtime"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/picks"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/spot"
)

// Vectors adds the vectors of all records of a sample to sum, split over the processors. The
// function vectors writes the vectors of the listed records to dst, which is zero before, one after
// the other. Several goroutines call it, each with its own part.
func Vectors(sum *release.VectorSum, sample release.Sample, dim int, vectors func(part int, dst []float64, records []int) error) error {
	indices := sample.Indices()
	size := max(1, min(64, maxVectorNumbers/dim))
	parts := max(1, min(runtime.GOMAXPROCS(0), len(indices)/size))
	sums, errs, secret := make([]*release.VectorSum, parts), make([]error, parts), picks.NewSecret()
	parallel.Each(parts, func(p int) {
		sums[p] = sum.Empty()
		errs[p] = addVectors(sums[p], p, secret.Part(p), indices[p*len(indices)/parts:(p+1)*len(indices)/parts], dim, size, vectors)
	})
	for p := range parts {
		if errs[p] != nil {
			return errs[p]
		}
		if err := sum.Merge(sums[p]); err != nil {
			return err
		}
	}
	return nil
}

// maxVectorNumbers bounds the numbers of the vectors that are made at a time.
const maxVectorNumbers = 1 << 20

func addVectors(sum *release.VectorSum, part int, picker picks.Picker, indices []int, dim, size int, vectors func(part int, dst []float64, records []int) error) error {
	all := make([]float64, size*dim)
	for from := 0; from < len(indices); from += size {
		records := indices[from:min(from+size, len(indices))]
		dst := all[:len(records)*dim]
		clear(dst)
		if err := vectors(part, dst, records); err != nil {
			return err
		}
		var err error
		agree := picker.Agree(len(records), func(i int) bool {
			alone := make([]float64, dim)
			err = vectors(part, alone, records[i:i+1])
			return err == nil && spot.Same(dst[i*dim:(i+1)*dim], alone)
		})
		switch {
		case err != nil:
			return err
		case !agree:
			return release.ErrComputation
		}
		if err := sum.AddAt(records, dst); err != nil {
			return err
		}
	}
	return nil
}

// SumVectors returns the noisy sum of one vector for each record. Each vector counts with an L2
// norm of at most bound, and a longer vector is shortened. The noise has standard deviation
// NoiseMultiplier·bound on every coordinate.
func SumVectors(t Settings, records, dim int, bound float64, vectors func(part int, dst []float64, records []int) error) ([]float64, error) {
	sample, err := release.Draw(release.Full(), records)
	if err != nil {
		return nil, err
	}
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: t.Noise, Norm: release.L2(), Dim: dim, Bound: bound, MaxRecords: t.MaxRecords})
	if err != nil {
		return nil, err
	}
	if err = Vectors(sum, sample, dim, vectors); err != nil {
		return nil, err
	}
	noisy, err := release.Release(t.Payer, t.Noise, sum.Seal())
	return noisy.Values(), err
}
