package main

import (
	"slices"
	"strings"
)

// question is one number of one benchmark. Its unit is that of the table, and scale stands between the unit that
// the benchmark prints and the unit of the table.
type question struct {
	set
	row
}

// set is what several questions of a section share.
type set struct {
	section, pkg, metric, unit string
	scale                      float64
	benchtime                  string // of one run, 300ms if it is empty
	flags                      string // more flags of the test program
	once                       bool   // measured at the best level alone
	needs                      string // environment variable without which the question is left out
}

// row is the words of a question and the benchmark without the word Benchmark; {level} stands for the level.
type row struct{ text, bench string }

// name returns the benchmark's name at a level.
func (q question) name(level string) string { return strings.ReplaceAll(q.bench, "{level}", level) }

func (q question) at(level string) place { return place{q.pkg, q.bench, q.metric, level} }

// group returns what questions share that one process answers.
func (q question) group() group {
	top, _, _ := strings.Cut(q.bench, "/")
	if q.benchtime == "" {
		q.benchtime = "300ms"
	}
	return group{q.pkg, top, q.benchtime, q.flags, q.once}
}

// as returns questions that share a set.
func as(s set, rows ...row) []question {
	var out []question
	for _, r := range rows {
		out = append(out, question{s, r})
	}
	return out
}

const (
	milli = 1e-6                  // milliseconds a nanosecond
	epoch = 60000.0 / 2048 * 1e-9 // seconds of an epoch of 60000 records, a nanosecond of a step of 2048
)

// The sections of docs/benchmarks.md.
const (
	prices    = "Accounting"
	linear    = "Training linear models"
	manyModel = "Many models, and rows in files"
	networks  = "Training networks"
	kernels   = "Kernels"
	checks    = "The check of kernels"
	noise     = "Noise"
	tables    = "Tables and questions"
)

// questions holds what docs/benchmarks.md asks, in its order.
var questions = slices.Concat(
	as(set{section: prices, pkg: "account", metric: "ns/op", unit: "ms", scale: milli, once: true},
		row{"ε, q = 0.01, σ = 1, T = 10⁴, proven interval", "PLD/certified/q=.01,z=1,T=1e4"},
		row{"the same, estimate alone", "PLD/estimate/q=.01,z=1,T=1e4"},
		row{"ε, q = 0.001, σ = 1, T = 10⁶, proven interval", "PLD/certified/q=.001,z=1,T=1e6"},
		row{"the same, estimate alone", "PLD/estimate/q=.001,z=1,T=1e6"},
		row{"σ for ε = 2, q = 256/60000, T = 3525", "Calibrate"},
		row{"ε of 1000 different sampled Gaussians", "Terms"},
	),
	as(set{section: linear, pkg: "train", metric: "ns/op", unit: "ms", scale: milli},
		row{"full-batch step, one score, 16 bits", "Step/classes=2/int16/framed"},
		row{"the same, 8 bits", "Step/classes=2/uint8/framed"},
		row{"the same, one bit", "Step/classes=2/bit/framed"},
		row{"without privacy, float32", "FloatStep/columns=1"},
		row{"full-batch step, ten scores, 16 bits", "Step/classes=10/int16/framed"},
		row{"the same, 8 bits", "Step/classes=10/uint8/framed"},
		row{"the same, one bit", "Step/classes=10/bit/framed"},
		row{"without privacy, float32", "FloatStep/columns=10"},
		row{"epoch of 100 Poisson batches, one score, 16 bits", "Epoch/classes=2/int16"},
		row{"the same, 8 bits", "Epoch/classes=2/uint8"},
		row{"epoch of 100 Poisson batches, ten scores, 16 bits", "Epoch/classes=10/int16"},
		row{"the same, 8 bits", "Epoch/classes=10/uint8"},
	),
	as(set{section: manyModel, pkg: "train", metric: "ns/op", unit: "ms", scale: milli},
		row{"one binary model, a step, 8 bits", "StepTogether/uint8/models=1"},
		row{"32 models in one pass", "StepTogether/uint8/models=32"},
		row{"one binary model, a step, 16 bits", "StepTogether/int16/models=1"},
		row{"32 models in one pass", "StepTogether/int16/models=32"},
	),
	as(set{section: manyModel, pkg: "sweep", metric: "least-s", unit: "ms", scale: 1000, once: true, needs: "DITHER_DATA"},
		row{"ten steps, two levels, one value of ε", "SweepTogether/levels=2/configurations=1"},
		row{"the same, 60 values of ε", "SweepTogether/levels=2/configurations=60"},
		row{"ten steps, ten levels, one value of ε", "SweepTogether/levels=10/configurations=1"},
		row{"the same, 60 values of ε", "SweepTogether/levels=10/configurations=60"},
	),
	as(set{section: manyModel, pkg: "sweep", metric: "least-core-ms", unit: "ms", scale: 1, once: true, needs: "DITHER_DATA"},
		row{"10,000 rows measured, two levels", "Measure/levels=2/whiten=no"},
		row{"the same, ten levels", "Measure/levels=10/whiten=no"},
	),
	as(set{section: manyModel, pkg: "train", metric: "step-GB/s", unit: "GB/s", scale: 1, benchtime: "9x", flags: "-stream-bytes 1000000000", once: true},
		row{"1 GB of rows in a file, 784 bytes a row: a step", "Stream/uint8-784"},
	),
	as(set{section: manyModel, pkg: "train", metric: "reads-GB/s", unit: "GB/s", scale: 1, benchtime: "9x", flags: "-stream-bytes 1000000000", once: true},
		row{"the same: a plain read", "Stream/uint8-784"},
	),
	as(set{section: networks, pkg: "train/neural", metric: "ns/op", unit: "s", scale: epoch},
		row{"784-1000-10, private epoch", "Step/mlp-784-1000-10/2048/private"},
		row{"the same without privacy", "Step/mlp-784-1000-10/2048/plain"},
		row{"convolutional network, private epoch", "Step/cnn/2048/private"},
		row{"the same without privacy", "Step/cnn/2048/plain"},
	),
	as(set{section: networks, pkg: "train/neural", metric: "ns/op", unit: "ms", scale: milli},
		row{"784-32-10, 512 records, exact norms", "Clippings/exact"},
		row{"the same, norms from 20 random directions", "Clippings/projected"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "products-ns", unit: "ns", scale: 1},
		row{"scores in integers, 8 bits, one column", "Products/uint8-784/columns=1"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "margins-ns", unit: "ns", scale: 1},
		row{"the same in float32", "Products/uint8-784/columns=1"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "products-ns", unit: "ns", scale: 1},
		row{"scores in integers, 8 bits, 32 columns", "Products/uint8-784/columns=32"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "margins-ns", unit: "ns", scale: 1},
		row{"the same in float32", "Products/uint8-784/columns=32"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "products-ns", unit: "ns", scale: 1},
		row{"scores in integers, 16 bits, one column", "Products/int16-784/columns=1"},
		row{"scores in integers, 16 bits, 32 columns", "Products/int16-784/columns=32"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "least-ns", unit: "ns", scale: 1},
		row{"exact sums, 8 bits, factors below 2^14, one column", "AddInt/uint8-784/columns=1/bits=14"},
		row{"the same, 32 columns", "AddInt/uint8-784/columns=32/bits=14"},
		row{"exact sums, 16 bits, factors below 2^14, one column", "AddInt/int16-784/columns=1/bits=14"},
		row{"the same, 32 columns", "AddInt/int16-784/columns=32/bits=14"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "ns/op", unit: "ms", scale: milli},
		row{"product 256 × 784 × 1000, float32, one thread", "Gemm/float32/256x784x1000/{level}/1"},
		row{"product 60000 × 784 × 10, float32, two threads", "Gemm/float32/60000x784x10/{level}/2"},
		row{"product 50176 × 64 × 16, float32, two threads", "Gemm/float32/50176x64x16/{level}/2"},
		row{"product 16384 × 800 × 64, float32, two threads", "Gemm/float32/16384x800x64/{level}/2"},
	),
	as(set{section: kernels, pkg: "internal/kernel", metric: "ns/entry", unit: "ns", scale: 1},
		row{"exp of a number", "VectorFunctions/Exp/{level}"},
		row{"log of a number", "VectorFunctions/Log/{level}"},
		row{"sigmoid of a number", "VectorFunctions/Sigmoid/{level}"},
		row{"tanh of a number", "VectorFunctions/Tanh/{level}"},
	),
	as(set{section: checks, pkg: "internal/release", metric: "ns/number", unit: "ns", scale: 1, once: true},
		row{"admitting a proposal, one column", "Admit/columns=1"},
		row{"admitting a proposal, ten columns", "Admit/columns=10"},
		row{"mixing an entry of a row, 8 bits", "Mix/uint8"},
		row{"mixing an entry of a row, 16 bits", "Mix/int16"},
		row{"mixing an entry of a row, one bit", "Mix/bit"},
	),
	as(set{section: checks, pkg: "internal/release", metric: "ns/op", unit: "ms", scale: milli},
		row{"second moments, 8192 rows of 784: sum", "SecondMoment/dim=784/sum"},
		row{"the same: check", "SecondMoment/dim=784/check"},
		row{"products of 784-1000-10, 1024 records: verified", "ProductSum/verified"},
		row{"the same, float32 without privacy", "ProductSum/plain"},
	),
	as(set{section: noise, pkg: "internal/release/internal/sample", metric: "ns/sample", unit: "ns a draw", scale: 1, once: true},
		row{"rounded Gaussian", "RoundedGaussian"},
		row{"discrete Laplace, scale 3/2", "Discrete/Laplace/3:2"},
		row{"discrete Gaussian, scale 3/2", "Discrete/Gaussian/3:2"},
	),
	as(set{section: noise, pkg: "internal/release/internal/sample", metric: "ns/sample", unit: "ns a number", scale: 1, once: true},
		row{"ℓ∞ norm, 16 numbers", "Vector/LInfinity/16"},
		row{"ℓ2 norm, 16 numbers", "Vector/RoundedL2/16"},
	),
	as(set{section: noise, pkg: "internal/release/internal/sample", metric: "ns/record", unit: "ns a record", scale: 1, once: true},
		row{"Poisson sampling", "Poisson"},
	),
	as(set{section: noise, pkg: "internal/release", metric: "ns/op", unit: "ms", scale: milli, once: true},
		row{"2^20 numbers released, two threads", "Release"},
	),
	as(set{section: tables, pkg: "data", metric: "MB/s", unit: "MB/s", scale: 1},
		row{"CSV like Adult, 20000 rows", "ReadCSV"},
		row{"LIBSVM, 6000 × 784, a fifth written", "ReadLIBSVM/6000x784"},
		row{"NPY, 60000 × 784 bytes", "ReadNPY/60000x784-u1"},
	),
	as(set{section: tables, pkg: "internal/format/parquet", metric: "ns/op", unit: "ms", scale: milli, needs: "DITHER_TABLES"},
		row{"CSV, 200000 × 104 integers", "Table/table.csv"},
		row{"Parquet, the same table", "Table/table.parquet"},
	),
	as(set{section: tables, pkg: "query", metric: "ns/op", unit: "ms", scale: milli},
		row{"mean of 10⁶ numbers", "Ask/mean"},
		row{"histogram of 10⁶ rows in ten cells", "Ask/histogram"},
		row{"median of 10⁶ numbers", "Ask/quantiles"},
	),
)
