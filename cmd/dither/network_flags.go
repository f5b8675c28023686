package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
	"github.com/spf13/pflag"
)

// networkFlags are the flags of networks.
type networkFlags struct {
	flags                             *pflag.FlagSet
	layers                            layers.Spec
	clipping                          neural.ClippingRequest
	groups, norms, allocation         string
	sampling, correlated              string
	bands                             int
	epochs, weightDecay, averageDecay float64
	physicalBatch                     int
	checkpoint, resume                string
	checkpointEvery                   int
	frozen                            training.FrozenRequest
}

// networkOnly are the flags that only networks have.
var networkOnly = []string{"hidden", "activation", "embedding", "input-shape", "clipping-rule", "clipping-groups", "clipping-norms", "noise-allocation",
	"clipping-stability", "clipping-threshold", "clipping-quantile", "clipping-rate", "count-noise", "projections", "projection-cap", "microbatch", "clip-after-averaging",
	"sampling", "correlated-noise", "noise-bands", "epochs", "weight-decay", "average-decay", "physical-batch", "checkpoint", "checkpoint-every", "resume", "frozen-from", "train-layers", "frozen-public"}

// networkToo are the flags that networks share with linear models.
var networkToo = []string{"model", "data", "labels", "delimiter", "schema", "target", "test", "test-labels", "test-public", "print-not-private", "group", "out", "replace",
	"assume-public", "dry-run", "non-private", "records", "max-records", "json", "quiet", "epsilon", "delta", "neighboring", "sampling-probability", "batch-size", "parts", "steps",
	"clipping-norm", "transform", "row-normalization", "row-radius", "loss", "loss-width", "quantile", "learning-rate", "momentum", "ridge", "l1", "feature-bits", "optimizer",
	"schedule", "warm-up", "average", "threshold", "unit", "max-records-per-person", "ledger", "charge", "population", "purpose", "owner"}

func (n *networkFlags) add(f *pflag.FlagSet) {
	n.addLayers(f, layers.Linear)
	f.StringVar(&n.clipping.Rule, "clipping-rule", "", "how the gradient of a network is bounded: "+summaries(option.ClippingRules())+" (default "+option.ClippingRules()[0][0]+")")
	f.StringVar(&n.groups, "clipping-groups", "all", "which parts of a network's gradient are clipped each by itself: all (one part), per-layer, or blocks of weights in each part, as 2,1")
	f.StringVar(&n.norms, "clipping-norms", "", "clipping norms of those parts, with commas between (default: the clipping norm over the root of their number)")
	f.StringVar(&n.allocation, "noise-allocation", option.AllocationEven, "how noise is divided among those parts, at one cost: "+join(option.Allocations()))
	f.Float64Var(&n.clipping.Stability, "clipping-stability", 0, "constant of the clipping rules that divide by norms (default: the rule's)")
	f.Float64Var(&n.clipping.Threshold, "clipping-threshold", 0, "norm up to which the global clipping rules keep gradients as they are (default: the rule's)")
	f.Float64Var(&n.clipping.Quantile, "clipping-quantile", 0, "share of gradients that an adaptive clipping rule keeps within its norm (default: the rule's)")
	f.Float64Var(&n.clipping.Rate, "clipping-rate", 0, fmt.Sprintf("how fast the norm of an adaptive clipping rule moves (default %v)", option.DefaultRate))
	f.Float64Var(&n.clipping.CountNoise, "count-noise", 0, "standard deviation of the noise on the counts that an adaptive clipping rule releases (default: a twentieth of the expected batch)")
	f.IntVar(&n.clipping.Projections, "projections", 0, fmt.Sprintf("random projections by which the clipping rule projected estimates a norm (default %d)", option.DefaultProjections))
	f.Float64Var(&n.clipping.Cap, "projection-cap", 0, fmt.Sprintf("clipping norms that a gradient has at most behind the clipping rule projected (default %v)", option.DefaultCap))
	f.IntVar(&n.clipping.MicroBatch, "microbatch", 0, "clip means of about so many records in place of single ones; one record then counts twice the clipping norm")
	f.BoolVar(&n.clipping.AfterAveraging, "clip-after-averaging", false, "clip the mean of a whole batch: the counter-example of textbooks, whose noise hides everything")
	f.StringVar(&n.sampling, "sampling", "", "which records a step of a network takes: "+join(option.Samplings())+fmt.Sprintf(" (default: by --sampling-probability, --batch-size and --parts; without those %s with probability %v)", option.SamplingPoisson, option.NetworkProbability))
	f.StringVar(&n.correlated, "correlated-noise", "", "noise that cancels in part over steps, which go round --parts of the rows: banded, or tree with new parts in every round (default: independent noise)")
	f.IntVar(&n.bands, "noise-bands", 0, "steps over which --correlated-noise banded cancels, at most --parts (default: --parts, and 64 at most)")
	f.Float64Var(&n.epochs, "epochs", 0, fmt.Sprintf("expected passes over the records, in place of --steps (default %d)", option.NetworkEpochs))
	f.Float64Var(&n.weightDecay, "weight-decay", 0, "shrink weights beside each step by the learning rate times this (default: the optimizer's)")
	f.Float64Var(&n.averageDecay, "average-decay", 0, fmt.Sprintf("what --average exponential keeps of itself in a step (default %v)", option.DefaultAverageDecay))
	f.IntVar(&n.physicalBatch, "physical-batch", 0, "records of a network that a processor works on at a time; changes memory and speed and nothing else (default: by the network)")
	f.StringVar(&n.checkpoint, "checkpoint", "", "file that keeps what was released so far, so that --resume can go on from it")
	f.IntVar(&n.checkpointEvery, "checkpoint-every", 0, "steps between checkpoints (default: a hundredth of all)")
	f.StringVar(&n.resume, "resume", "", "go on from this checkpoint, with the other flags as they were; steps that are made again are paid again, and a ledger is charged for the steps that are left")
	f.StringVar(&n.frozen.From, "frozen-from", "", "model folder or safetensors file of a network whose first layers are taken over as they are")
	f.StringVar(&n.frozen.TrainLayers, "train-layers", "last", "with --frozen-from: how many of the last layers with weights are trained, last or a number")
	f.StringVar(&n.frozen.Public, "frozen-public", "", "where the weights of --frozen-from come from, in words: declares that no record of the table had a part in them")
}

// addLayers adds the flags that choose the network.
func (n *networkFlags) addLayers(f *pflag.FlagSet, otherwise string) {
	n.flags, n.layers.Given = f, f.Changed
	words := ""
	if otherwise == layers.Linear {
		words = "linear, or a network: "
	}
	f.StringVar(&n.layers.Model, "model", otherwise, words+"mlp (fully connected, see --hidden), cnn (a small convolutional network for images), text (embeddings of the words of text columns), or a YAML file of layers (docs/networks.md)")
	f.StringVar(&n.layers.Hidden, "hidden", "", "hidden units of each layer of mlp, as 128,64 (default 128), or behind the embeddings of text (default none)")
	f.StringVar(&n.layers.Activation, "activation", "tanh", "what follows hidden layers of mlp and text: tanh, relu, gelu or sigmoid")
	f.IntVar(&n.layers.Embedding, "embedding", 32, "numbers of an embedding of text")
	f.StringVar(&n.layers.InputShape, "input-shape", "", "shape of one record for a network, as 28x28 or 32x32x3: rows, columns, colors (default: that of the images in an IDX or NPY file)")
}

// summaries lists names with their meanings.
func summaries(rules [][2]string) string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r[0] + " (" + r[1] + ")"
	}
	return strings.Join(out, ", ")
}

// asked reports whether the model is a network.
func (n *networkFlags) asked() bool { return n.layers.Model != layers.Linear || n.frozen.From != "" }

// check refuses flags that the model does not have.
func (n *networkFlags) check() error {
	var wrong error
	n.flags.Visit(func(f *pflag.Flag) {
		switch {
		case wrong != nil:
		case !n.asked() && slices.Contains(networkOnly, f.Name):
			wrong = fmt.Errorf("--%s is given with --model %s, want a network, such as --model %s", f.Name, n.layers.Model, layers.MLP)
		case n.asked() && !slices.Contains(networkOnly, f.Name) && !slices.Contains(networkToo, f.Name):
			wrong = fmt.Errorf("--%s is given with a network, want %s, or --model %s", f.Name, training.WithNetwork(f.Name), layers.Linear)
		}
	})
	return wrong
}

// request returns the request for a network, given the request for any model.
func (n *networkFlags) request(p *planFlags, r train.Request, o train.Options) (out training.NetworkRequest, err error) {
	out = training.NetworkRequest{Shared: r, Layers: n.layers, Frozen: n.frozen, Checkpoint: n.checkpoint, Resume: n.resume}
	if out.Request, err = n.plan(p, r); err != nil {
		return out, err
	}
	out.Options, err = n.options(p, o)
	return out, err
}

// plan returns the request to package neural, except the layers.
func (n *networkFlags) plan(p *planFlags, r train.Request) (neural.Request, error) {
	out := neural.Request{Epsilon: r.Epsilon, Delta: r.Delta, Neighboring: r.Neighboring, Loss: r.Loss, Clipping: n.clipping, Steps: r.Steps, Epochs: n.epochs,
		Normalization: r.Normalization, Radius: r.Radius, Transforms: r.Transforms, Person: r.Person}
	out.Clipping.Norm, out.Clipping.Allocation = r.ClippingNorm, string(n.allocation)
	if r.PrivateRadius {
		return out, fmt.Errorf("--row-radius is private with a network, want a number")
	}
	var err error
	switch n.groups {
	case "all":
	case "per-layer":
		out.Clipping.PerLayer = true
	default:
		if out.Clipping.Groups, err = layers.WholeNumbers("clipping-groups", n.groups, "all, per-layer, or numbers of blocks such as 2,1"); err != nil {
			return out, err
		}
	}
	if n.norms != "" {
		if out.Clipping.Norms, err = numbersOf("clipping-norms", n.norms); err != nil {
			return out, err
		}
	}
	out.Correlation, out.Bands = string(n.correlated), n.bands
	if out.Correlation != "" {
		out.BandMomentum = n.momentum(p)
	}
	out.Sampling, err = training.SamplingOf(neural.Sampling{Kind: string(n.sampling), Probability: p.samplingProbability, BatchSize: p.batchSize, Parts: p.parts}, out.Correlation)
	return out, err
}

// momentum returns the requested momentum in the form of train/neural: 0 is the default, and a
// negative number means none.
func (n *networkFlags) momentum(p *planFlags) float64 {
	switch {
	case !p.flags.Changed("momentum"):
		return 0
	case p.momentum == 0:
		return -1
	}
	return p.momentum
}

// averages are the names of --average. The names for linear models have a meaning for networks too.
var averages = map[string]string{"auto": option.AverageExponential, "yes": option.AverageTail, "no": option.AverageNone}

// options returns the options that the flags describe.
func (n *networkFlags) options(p *planFlags, o train.Options) (neural.Options, error) {
	out := neural.Options{LearningRate: o.LearningRate, WarmUp: o.WarmUp, Ridge: o.Ridge, L1: o.L1, WeightDecay: n.weightDecay,
		AverageDecay: n.averageDecay, FeatureBits: o.FeatureBits, Chunk: n.physicalBatch, CheckpointEvery: n.checkpointEvery}
	if p.flags.Changed("schedule") {
		out.Schedule = o.Schedule
	}
	if p.flags.Changed("optimizer") {
		out.Optimizer = string(o.Optimizer)
	}
	if p.flags.Changed("momentum") {
		if out.Momentum = o.Momentum; o.Momentum == 0 {
			out.Momentum = -1 // 0 is the default
		}
	}
	if n.flags.Changed("weight-decay") && n.weightDecay == 0 {
		out.WeightDecay = -1
	}
	average, known := averages[p.average]
	if !known {
		if average = string(p.average); !slices.Contains(option.Averages(), average) {
			return out, fmt.Errorf("--average is %q, want auto, yes, no, %s", p.average, join(option.Averages()))
		}
	}
	if out.Average = average; n.averageDecay != 0 && average != option.AverageExponential {
		return out, fmt.Errorf("--average-decay is given with --average %s, want --average %s", p.average, option.AverageExponential)
	}
	if n.checkpointEvery != 0 && n.checkpoint == "" && n.resume == "" {
		return out, fmt.Errorf("--checkpoint-every is given without --checkpoint FILE, want both")
	}
	return out, nil
}

// numbersOf reads positive numbers separated by commas.
func numbersOf(flag, text string) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v > 0) {
			return nil, fmt.Errorf("--%s is %q, want positive numbers with commas between", flag, text)
		}
		out = append(out, v)
	}
	return out, nil
}
