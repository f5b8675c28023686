package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// The data of the benchmark of steps: the size of MNIST.
const stepRows, stepDim = 60000, 784

// stepData are the same entries in every type, 0 to 255 or their lowest bit.
type stepData struct {
	single []float32
	short  []int16
	byte   []uint8
	bits   []uint64
}

func newStepData() *stepData {
	const n = stepRows * stepDim
	d := &stepData{make([]float32, n), make([]int16, n), make([]uint8, n), make([]uint64, stepRows*BitWords(stepDim))}
	HugePages(d.single)
	HugePages(d.short)
	HugePages(d.byte)
	r := rand.New(rand.NewPCG(30, 1))
	for i := range d.single {
		v := uint8(r.Uint32())
		d.single[i], d.short[i], d.byte[i] = float32(v), int16(v), v
		row, j := i/stepDim, i%stepDim
		d.bits[row*BitWords(stepDim)+j/64] |= uint64(v&1) << (j % 64)
	}
	return d
}

// stepRoom is what one goroutine needs for steps of some columns.
type stepRoom struct {
	margins, residuals, sum []float32
	numbers, whole          []float64
	total                   []int64
}

func newStepRoom(columns, block int) *stepRoom {
	return &stepRoom{
		make([]float32, block*columns), make([]float32, block*columns), make([]float32, columns*stepDim),
		make([]float64, block*columns), make([]float64, columns*stepDim), make([]int64, columns*stepDim),
	}
}

// step is a step over the rows from one to another, in blocks.
type step func(d *stepData, s *stepRoom, w []float32, columns, from, to, block int)

// nonPrivateStep returns a step in float32 over one of the types of entries.
func nonPrivateStep[T Entry](pick func(d *stepData) []T) step {
	return func(d *stepData, s *stepRoom, w []float32, columns, from, to, block int) {
		for i := from; i < to; i += block {
			n := min(block, to-i)
			x := pick(d)[i*stepDim : (i+n)*stepDim]
			m, residuals := s.margins[:n*columns], s.residuals[:n*columns]
			Margins(m, x, stepDim, w, columns)
			for k, v := range m {
				residuals[k] = v - 0.5
			}
			AddScaledRows(s.sum, x, stepDim, residuals, columns)
		}
	}
}

// round writes integers below 2^20 in magnitude that stand for residuals.
func (s *stepRoom) round(m []float32) []float64 {
	q := s.numbers[:len(m)]
	for k, v := range m {
		q[k] = float64(int32(v * 0x1p10))
	}
	return q
}

// exactStep returns a step whose sum is exact over one of the types of entries.
func exactStep[T IntEntry](pick func(d *stepData) []T) step {
	return func(d *stepData, s *stepRoom, w []float32, columns, from, to, block int) {
		for i := from; i < to; i += block {
			n := min(block, to-i)
			x := pick(d)[i*stepDim : (i+n)*stepDim]
			Margins(s.margins[:n*columns], x, stepDim, w, columns)
			AddInt(s.whole, x, stepDim, s.round(s.margins[:n*columns]), columns)
		}
		FlushInt(s.total, s.whole)
	}
}

// bitsStep is the exact step over bits.
func bitsStep(d *stepData, s *stepRoom, w []float32, columns, from, to, block int) {
	words := BitWords(stepDim)
	for i := from; i < to; i += block {
		n := min(block, to-i)
		x := d.bits[i*words : (i+n)*words]
		MarginsBits(s.margins[:n*columns], x, stepDim, w, columns)
		AddIntBits(s.whole, x, stepDim, s.round(s.margins[:n*columns]), columns)
	}
	FlushInt(s.total, s.whole)
}

// readStep only reads the float32 entries: with vectors of the level in use it sums them, and portable code sums them as
// integers, two at a time.
func readStep(d *stepData, s *stepRoom, _ []float32, _, from, to, _ int) {
	s.sum[0] = readSingles(d.single[from*stepDim : to*stepDim])
}

// onceStep is the step in float32 of one column that reads the entries once.
func onceStep(d *stepData, s *stepRoom, w []float32, _, from, to, _ int) {
	AddRowsByMargin(s.sum, d.single[from*stepDim:to*stepDim], stepDim, w, s.margins[:to-from], func(part []float32, _ int) {
		Sigmoid(part, part)
		for k := range part {
			part[k] -= 0.5
		}
	})
}

// twiceStep does the same by blocks of 64 rows.
func twiceStep(d *stepData, s *stepRoom, w []float32, _, from, to, _ int) {
	for i := from; i < to; i += 64 {
		m := s.margins[:min(64, to-i)]
		x := d.single[i*stepDim : (i+len(m))*stepDim]
		Margins(m, x, stepDim, w, 1)
		Sigmoid(m, m)
		for k := range m {
			m[k] -= 0.5
		}
		AddScaledRows(s.sum, x, stepDim, m, 1)
	}
}

// namedStep is a variant that a benchmark compares.
type namedStep struct {
	name string
	run  step
}

// steps are those of BenchmarkStep.
var steps = []namedStep{
	{"read", readStep},
	{"float32", nonPrivateStep(func(d *stepData) []float32 { return d.single })},
	{"uint8", nonPrivateStep(func(d *stepData) []uint8 { return d.byte })},
	{"int16-exact", exactStep(func(d *stepData) []int16 { return d.short })},
	{"uint8-exact", exactStep(func(d *stepData) []uint8 { return d.byte })},
	{"bits-exact", bitsStep},
}

// BenchmarkStep measures a step of a linear model over the whole data with one and two
// goroutines, next to a loop that only sums the float32 entries. All variants take turns
// in one process, and the shortest time of each counts, so that their ratios are
// trustworthy on a machine that has other work: milliseconds, and multiples of the time of
// reading float32.
func BenchmarkStep(b *testing.B) {
	d := newStepData()
	for _, columns := range []int{1, 10, 32} {
		for _, goroutines := range []int{1, 2} {
			for _, block := range []int{8, 16, 32, 64, 128, 256} {
				b.Run(fmt.Sprintf("columns=%d/goroutines=%d/block=%d", columns, goroutines, block), func(b *testing.B) {
					benchmarkSteps(b, d, steps, columns, goroutines, block)
				})
			}
		}
	}
}

// BenchmarkStepOnce does the same with a logistic step of one column in float32, in one pass
// and in two.
func BenchmarkStepOnce(b *testing.B) {
	d := newStepData()
	variants := []namedStep{{"read", readStep}, {"once", onceStep}, {"twice", twiceStep}}
	for _, goroutines := range []int{1, 2} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			benchmarkSteps(b, d, variants, 1, goroutines, stepRows)
		})
	}
}

func benchmarkSteps(b *testing.B, d *stepData, steps []namedStep, columns, goroutines, block int) {
	w := make([]float32, columns*stepDim)
	r := rand.New(rand.NewPCG(31, 1))
	for j := range w {
		w[j] = float32(r.NormFloat64()) * 1e-4
	}
	var rooms []*stepRoom
	for range goroutines {
		rooms = append(rooms, newStepRoom(columns, block))
	}
	least := make([]time.Duration, len(steps))
	for i := range least {
		least[i] = math.MaxInt64
	}
	for b.Loop() {
		for i, variant := range steps {
			least[i] = min(least[i], timeStep(d, rooms, variant.run, w, columns, block))
		}
	}
	for i, variant := range steps {
		b.ReportMetric(1e3*least[i].Seconds(), variant.name+"-ms")
		b.ReportMetric(float64(least[i])/float64(least[0]), variant.name+"/read")
	}
}

// timeStep returns the time of a step whose rows are split over goroutines.
func timeStep(d *stepData, rooms []*stepRoom, run step, w []float32, columns, block int) time.Duration {
	begin := time.Now()
	var wait sync.WaitGroup
	for g, room := range rooms {
		from, to := stepRows*g/len(rooms), stepRows*(g+1)/len(rooms)
		wait.Go(func() { run(d, room, w, columns, from, to, block) })
	}
	wait.Wait()
	return time.Since(begin)
}

// readSinglesPortable reads all numbers but the last fifteen at most and returns a number that depends on each. Go has
// no vectors: two numbers at a time, as one integer, are the most that it reads, and integers add in one cycle.
func readSinglesPortable(x []float32) float32 {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
	var a, b, c, d uint64
	for ; len(words) >= 8; words = words[8:] {
		a += words[0] ^ words[4]
		b += words[1] ^ words[5]
		c += words[2] ^ words[6]
		d += words[3] ^ words[7]
	}
	return float32(a + b + c + d)
}

// TestReadSingles holds that what the benchmarks measure reading by reads: a change of any number changes the result.
func TestReadSingles(t *testing.T) {
	x := make([]float32, 256)
	for i := range x {
		x[i] = 1
	}
	portable := readSinglesPortable(x)
	for i := range x {
		x[i] = 3
		if readSinglesPortable(x) == portable {
			t.Errorf("portable: number %d is not read", i)
		}
		x[i] = 1
	}
}

// BenchmarkSparse measures both kernels of sparse rows: fifty ones a row, of ten thousand
// coordinates. The time is for one entry and column.
func BenchmarkSparse(b *testing.B) {
	const rows, dim, entries = 10000, 10000, 50
	r := rand.New(rand.NewPCG(43, 1))
	x := SparseRows{Start: []int{0}}
	for range rows {
		index := r.IntN(dim / entries)
		for e := range entries {
			x.Index = append(x.Index, uint32(e*(dim/entries)+(index+37*e)%(dim/entries)))
		}
		x.Start = append(x.Start, len(x.Index))
	}
	for _, columns := range []int{1, 10, 32} {
		w, sum := make([]float32, dim*columns), make([]float64, dim*columns)
		dst, q := make([]float32, rows*columns), make([]float64, rows*columns)
		run := func(name string, call func()) {
			b.Run(fmt.Sprintf("%s/columns=%d", name, columns), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x.Index)*columns), "ns/entry")
			})
		}
		run("margins", func() { MarginsSparse(dst, x, w, columns) })
		run("sums", func() { AddIntSparse(sum, x, q, columns) })
	}
}
