package neural

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/feature"
	durable "github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
)

// stoppedAfter runs a request until a step is done and returns the checkpoint that it leaves, out of a file.
func stoppedAfter(t *testing.T, setup Setup, l *ledger.Ledger, o Options, step, records int) *Checkpoint {
	t.Helper()
	path := filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(context.Background())
	o.Checkpoint = func(c *Checkpoint) error { return write(c, path) }
	o.Progress = func(p train.Progress) {
		if p.Step == step {
			cancel()
		}
	}
	if _, err := Fit(ctx, l, setup, ringData(t, setup.Schema, records), o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the run stopped", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file has mode %v (%v), want 0600", info.Mode(), err)
	}
	c, err := ReadCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestResumedRunsGoOn stops runs without noise and goes on: every optimizer and average ends with the same bits as a
// run that was not stopped.
func TestResumedRunsGoOn(t *testing.T) {
	const records, steps = 50, 20
	s := ringSchema(t, records)
	r := ask()
	r.Epsilon, r.Sampling, r.Epochs, r.Steps = math.Inf(1), Sampling{Kind: option.SamplingFull}, 0, steps
	r.Clipping = ClippingRequest{Rule: "quantile", PerLayer: true}
	setup := setupOf(t, r, s)
	initial := make([]float32, setup.Network.Weights())
	setup.Network.Init(initial, 3)
	for _, optimizer := range option.NetworkOptimizers() {
		for _, a := range option.Averages() {
			if optimizer != option.NetworkOptimizers()[0] && a != option.Averages()[0] && !thorough {
				continue // the state of an optimizer and that of an average are apart
			}
			o := Options{Optimizer: optimizer, Average: a, LearningRate: 0.05, Schedule: option.ScheduleCosine, WarmUp: 3, Initial: initial}
			whole, err := Fit(context.Background(), budget(t, r), setup, ringData(t, s, records), o)
			if err != nil {
				t.Fatal(err)
			}
			from := stoppedAfter(t, setup, budget(t, r), o, 13, records)
			if from.Taken != 13 || from.Ahead != 0 {
				t.Fatalf("the checkpoint is of step %d with %d ahead, want 13 and 0", from.Taken, from.Ahead)
			}
			o.Initial = nil
			resumed, err := Resume(context.Background(), budget(t, r), setup, ringData(t, s, records), o, from)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(resumed.Weights, whole.Weights) || !slices.Equal(resumed.Levels, whole.Levels) || slices.Equal(whole.Weights, initial) {
				t.Errorf("%s with average %s: a resumed run ends elsewhere", optimizer, a)
			}
		}
	}
}

// TestResumedRunsPayForAllSteps goes on from a checkpoint that was left at an end, and from one after which the run may
// have gone on.
func TestResumedRunsPayForAllSteps(t *testing.T) {
	const records = 300
	for _, declared := range []int{0, records} {
		for name, change := range map[string]func(*Request){
			"poisson":   func(*Request) {},
			"full":      func(r *Request) { r.Sampling, r.Clipping.PerLayer = Sampling{Kind: option.SamplingFull}, true },
			"partition": func(r *Request) { r.Sampling = Sampling{Kind: option.SamplingPartition, Parts: 4} },
		} {
			if declared > 0 && name != "full" && !thorough {
				continue // without declared records a run pays for their number too
			}
			s := ringSchema(t, declared)
			r := ask()
			r.Epochs, r.Steps = 0, 20
			change(&r)
			setup := setupOf(t, r, s)
			from := stoppedAfter(t, setup, budget(t, r), Options{}, 10, records)
			from.Ahead = 5
			large := r
			large.Epsilon = 40
			l := budget(t, large)
			result, err := Resume(context.Background(), l, setup, ringData(t, s, records), Options{}, from)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, want := result.Plan.runs(), []int{15, 10}; !slices.Equal(got, want) {
				t.Errorf("%s: runs are of %v steps, want %v", name, got, want)
			}
			paysForEarlier(t, name, result.Plan)
			if entries := l.Event(); len(entries) != 1 || entries[0].String() != result.Plan.Event().String() {
				t.Errorf("%s: the ledger holds %v, want the event of the plan %v", name, entries, result.Plan.Event())
			}
			before, after := priceOf(t, setup.Plan), priceOf(t, result.Plan)
			if !(after > before) {
				t.Errorf("%s: epsilon of the resumed run is %v, of the plan %v, want more", name, after, before)
			}
			if _, err = Resume(context.Background(), budget(t, r), setup, ringData(t, s, records), Options{}, from); !errors.Is(err, ledger.ErrOverBudget) {
				t.Errorf("%s: got %v, want %v", name, err, ledger.ErrOverBudget)
			}
		}
	}
}

// counter counts what it pays for.
type counter int

func (c *counter) Pay(mechanism.Event) error { *c++; return nil }

// paysForEarlier holds that a resumed run pays for exactly those releases of its event that come before its own steps: a
// durable ledger reserves what comes after them.
func paysForEarlier(t *testing.T, name string, p Plan) {
	t.Helper()
	var paid counter
	if err := p.payEarlier(&paid); err != nil {
		t.Fatal(err)
	}
	last := p
	last.Interrupted, last.Steps = nil, p.Steps-p.kept()
	own := last.Event()
	if p.countsRecords() {
		own = durable.After(own, 1)
	}
	n := durable.Releases(p.Event()) - durable.Releases(own)
	if rest := durable.After(p.Event(), n); int(paid) != n || rest == nil || rest.String() != own.String() {
		t.Errorf("%s: %d releases are paid for earlier runs, and %v is left of %v, want %d and %v", name, paid, rest, p.Event(), n, own)
	}
}

func priceOf(t *testing.T, p Plan) float64 {
	t.Helper()
	c, err := p.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	if err = c.VerifyPlan(Methods()); err != nil {
		t.Fatal(err)
	}
	return float64(c.Epsilon)
}

// TestCheckpointsHoldWhatIsReleased looks at every field by name: a new one has to be thought about here.
func TestCheckpointsHoldWhatIsReleased(t *testing.T) {
	var got []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Checkpoint]()) {
		got = append(got, f.Name)
	}
	want := "Plan Taken Ahead Divisor Levels Weights Frozen Optimizers Averaged AverageSum Paid Sign Digest Signature settings"
	if strings.Join(got, " ") != want {
		t.Errorf("a checkpoint has %v, want %s", got, want)
	}
}

// TestCheckpointsAreMadeInTime counts the steps that a checkpoint leaves open.
func TestCheckpointsAreMadeInTime(t *testing.T) {
	const records = 100
	s := ringSchema(t, records)
	r := ask()
	r.Epochs, r.Steps = 0, 10
	var taken, ahead []int
	o := Options{CheckpointEvery: 4, Checkpoint: func(c *Checkpoint) error {
		taken, ahead = append(taken, c.Taken), append(ahead, c.Ahead)
		return nil
	}}
	if _, err := Fit(context.Background(), budget(t, r), setupOf(t, r, s), ringData(t, s, records), o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(taken, []int{0, 4, 8, 10}) || !slices.Equal(ahead, []int{4, 4, 4, 0}) {
		t.Errorf("checkpoints are of steps %v with %v ahead, want 0, 4, 8, 10 with 4, 4, 4, 0", taken, ahead)
	}
}

// TestCheckpointThatCannotBeWritten wants an error where steps were to follow, and at the end the result that is paid for.
func TestCheckpointThatCannotBeWritten(t *testing.T) {
	const records = 100
	s := ringSchema(t, records)
	r := ask()
	r.Epochs, r.Steps = 0, 10
	setup, full := setupOf(t, r, s), errors.New("no space left on device")
	for _, at := range []int{0, 4, 8, 10} {
		o := Options{CheckpointEvery: 4, Checkpoint: func(c *Checkpoint) error {
			if c.Taken == at {
				return full
			}
			return nil
		}}
		result, err := Fit(context.Background(), budget(t, r), setup, ringData(t, s, records), o)
		if end := at == 10; errors.Is(err, full) == end || (result != nil) != end {
			t.Errorf("after step %d: got a result %v and error %v", at, result != nil, err)
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	const records = 100
	s := ringSchema(t, records)
	r := ask()
	r.Epochs, r.Steps = 0, 10
	setup := setupOf(t, r, s)
	from := stoppedAfter(t, setup, budget(t, r), Options{}, 5, records)
	if err := from.check(setup, Options{WeightDecay: -1, Optimizer: "momentum", FeatureBits: 16}); err != nil {
		t.Errorf("defaults that are given by name: %v", err)
	}
	for want, change := range map[string]func(c *Checkpoint, s *Setup, o *Options){
		"another plan, want the plan of the run that it was made in: steps is 9, want 10; ask": func(_ *Checkpoint, s *Setup, _ *Options) { s.Plan.Steps = 9 },
		"made in: count-noise-multiplier is 3, want none, network.layers.1.linear.outputs is 77, want 16, non-private is true, want none, and 1 more; ask": func(_ *Checkpoint, s *Setup, _ *Options) {
			s.Plan.CountNoise, s.Plan.NonPrivate, s.Plan.Steps = 3, true, 9
			s.Plan.Network.Layers = slices.Clone(s.Plan.Network.Layers)
			s.Plan.Network.Layers[0] = network.Linear{Outputs: 77}
		},
		", want none, and 1 more; ask for the same": func(_ *Checkpoint, s *Setup, _ *Options) {
			s.Plan.CountNoise, s.Plan.NonPrivate, s.Plan.Steps, s.Plan.MaxRecords = 3, true, 9, 1
		},
		"after step":    func(c *Checkpoint, _ *Setup, _ *Options) { c.Taken = 11 },
		"other numbers": func(c *Checkpoint, _ *Setup, _ *Options) { c.Weights = c.Weights[1:] },
		"divisor":       func(c *Checkpoint, _ *Setup, _ *Options) { c.Divisor = 0 },
		"clipping norm": func(c *Checkpoint, _ *Setup, _ *Options) { c.Levels = [][2]float64{{math.Inf(1), 0}} },
		"the option optimizer is adam, want momentum": func(_ *Checkpoint, _ *Setup, o *Options) { o.Optimizer = "adam" },
		"the option learning-rate is 7, want":         func(_ *Checkpoint, _ *Setup, o *Options) { o.LearningRate = 7 },
		"the option momentum is 0.5, want 0.9":        func(_ *Checkpoint, _ *Setup, o *Options) { o.Momentum = 0.5 },
		"weights to begin":                            func(_ *Checkpoint, s *Setup, o *Options) { o.Initial = make([]float32, s.Network.Weights()) },
		"another schema": func(_ *Checkpoint, s *Setup, _ *Options) {
			other := *s.Schema
			other.Columns = slices.Clone(other.Columns)
			other.Columns[0].Upper++
			s.Schema = &other
		},
		"of other rows": func(_ *Checkpoint, s *Setup, _ *Options) {
			other := *s.Features
			other.Norm = feature.NormUnit
			s.Features = &other
		},
		"the option weight-decay is 0.5, want 0": func(_ *Checkpoint, _ *Setup, o *Options) { o.WeightDecay = 0.5 },
		"the option feature-bits is 8, want 16":  func(_ *Checkpoint, _ *Setup, o *Options) { o.FeatureBits = 8 },
		"another version":                        func(c *Checkpoint, _ *Setup, _ *Options) { c.settings.Rows = "" },
		"optimizer has":                          func(c *Checkpoint, _ *Setup, _ *Options) { c.Optimizers[0].Vectors = [][]float64{{1}} },
	} {
		c, own, o := *from, setup, Options{}
		c.Optimizers = slices.Clone(from.Optimizers)
		change(&c, &own, &o)
		if _, err := own.Resumed(o, &c); (strings.HasPrefix(want, "another ") || strings.HasPrefix(want, "the option")) && err == nil {
			t.Errorf("what Resume refuses with %q is not refused before anything is paid", want)
		}
		if _, err := Resume(context.Background(), budget(t, r), own, ringData(t, s, records), o, &c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %q", err, want)
		}
	}
}

// FuzzDecodeCheckpoint reads files of any kind; what is read is written as it was.
func FuzzDecodeCheckpoint(f *testing.F) {
	s := ringSchema(f, 100)
	setup := setupOf(f, ask(), s)
	n := setup.Plan.Network.Trained
	c := &Checkpoint{Plan: setup.Plan.interruptedAfter(3, 2), Taken: 7, Ahead: 1, Divisor: 100, Levels: [][2]float64{{1, 0}}, Weights: make([]float64, n),
		Averaged: 1, AverageSum: make([]float64, n), Optimizers: []optimizer.State{{Taken: 7, Vectors: [][]float64{make([]float64, n), nil}}}}
	text, err := c.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	c.Sign = func([]byte) []byte { return make([]byte, ed25519.SignatureSize) }
	signed, err := c.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add(signed[:len(signed)-sha256.Size-1]) // half a signature
	f.Add(text[:len(text)-sha256.Size])
	f.Add(text[:100])
	f.Add([]byte(checkpointMagic + "{}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		sum := sha256.Sum256(file)
		for _, file := range [][]byte{file, append(file[:len(file):len(file)], sum[:]...)} { // the second is what a stranger can write
			if c, err := decodeCheckpoint(file); err == nil {
				staysTheSame(t, c)
			}
		}
	})
}

// staysTheSame wants a checkpoint that was read to be the same when it is written and read again.
func staysTheSame(t *testing.T, c *Checkpoint) {
	t.Helper()
	again, err := c.encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeCheckpoint(again)
	if err != nil {
		t.Fatal(err)
	}
	if third, failed := back.encode(); failed != nil || !bytes.Equal(third, again) {
		t.Errorf("a checkpoint changes when it is written again (%v)", failed)
	}
}

// TestDamagedCheckpointsAreRefused changes each byte of a file with a signature.
func TestDamagedCheckpointsAreRefused(t *testing.T) {
	s := ringSchema(t, 100)
	setup := setupOf(t, ask(), s)
	var digest []byte
	signature := bytes.Repeat([]byte{7}, ed25519.SignatureSize)
	text, err := (&Checkpoint{Plan: setup.Plan, Divisor: 1, Sign: func(d []byte) []byte { digest = bytes.Clone(d); return signature }}).encode()
	if err != nil {
		t.Fatal(err)
	}
	signed := sha256.Sum256(text[:len(text)-sha256.Size-len(signature)])
	if c, failed := decodeCheckpoint(text); failed != nil || !bytes.Equal(c.Digest, digest) || !bytes.Equal(digest, signed[:]) || !bytes.Equal(c.Signature, signature) {
		t.Fatalf("got %+v (%v), want signature %x over %x, all bytes before it", c, failed, signature, signed)
	}
	for i := range text {
		text[i] ^= 1
		if _, err = decodeCheckpoint(text); err == nil {
			t.Errorf("a file is read whose byte %d was changed", i)
		}
		text[i] ^= 1
	}
}

// write writes a checkpoint and lets go of its file.
func write(c *Checkpoint, path string) error {
	file, err := c.Write(path)
	return errors.Join(err, file.Close())
}
