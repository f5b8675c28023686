// Command accuracy measures the accuracy of private models of public data sets. For each set and
// epsilon it prints the mean and standard deviation, over several runs, on the public test part.
// Defaults come from package train. It prints a table in Markdown. From the root of the
// repository:
//
//	DITHER_DATA=/path/to/data go run ./bench/accuracy --runs 10
//	DITHER_DATA=/path/to/data go run ./bench/accuracy --sets fashion-scattering --epsilons 1 --validation
//	DITHER_DATA=/path/to/data go run ./bench/accuracy --sets adult-book,diamonds --methods all
//
// Features are encoded once for each set. Every run learns its preparation anew, with fresh noise,
// within its epsilon. Flags with the names of dither train's flags change a default. --validation
// measures on every sixth record of the training part instead, because defaults are chosen there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// settings are the flags.
type settings struct {
	folder     string
	names      []string
	methods    []string
	epsilons   []float64
	delta      float64
	runs       int
	validation bool
	features   string
	request    train.Request
	l1Radius   float64 // of Frank-Wolfe
	options    train.Options
	// of networks
	network        neural.Request
	networkOptions neural.Options
	hidden         int
}

const defaultDelta = 1e-5

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

// networkFlags adds the flags of networks.
func (s *settings) networkFlags(f *flag.FlagSet) {
	r, o := &s.network, &s.networkOptions
	f.IntVar(&s.hidden, "hidden", 0, "of fully connected networks, units of the hidden layer (default: those of the set)")
	f.Func("network-normalization", "of networks, --row-normalization of dither train", func(v string) error { r.Normalization = feature.Normalization(v); return nil })
	f.Float64Var(&r.Epochs, "epochs", 0, "of networks, as of dither train")
	f.Float64Var(&r.Sampling.Probability, "sampling-probability", 0, "of networks, as of dither train")
	f.StringVar(&r.Clipping.Rule, "clipping-rule", "", "of networks, as of dither train")
	f.Float64Var(&r.Clipping.Norm, "network-clipping-norm", 0, "of networks, --clipping-norm of dither train")
	f.StringVar(&o.Optimizer, "optimizer", "", "of networks, as of dither train")
	f.Float64Var(&o.LearningRate, "network-learning-rate", 0, "of networks, --learning-rate of dither train")
	f.Func("network-average", "of networks, --average of dither train", func(v string) error { o.Average = string(v); return nil })
	f.Func("network-schedule", "of networks, --schedule of dither train", func(v string) error { o.Schedule = v; return nil })
}

func parse(arguments []string) (settings, error) {
	s := settings{options: train.Options{Momentum: option.DefaultMomentum}}
	f := flag.NewFlagSet("accuracy", flag.ContinueOnError)
	f.StringVar(&s.folder, "data", os.Getenv("DITHER_DATA"), "folder of the data sets")
	chosen := f.String("sets", "", "names of sets, with commas between them (default: all): "+strings.Join(names(), ", "))
	methods := f.String("methods", "", "names of methods as of dither train, with commas between them, or all, or "+methodNetwork+" for the network of a set that has one (default: "+option.MethodGD+")")
	epsilons := f.String("epsilons", "", "budgets, with commas between them (default: those of each set); inf: without privacy")
	f.Float64Var(&s.delta, "delta", defaultDelta, "delta of every plan; at 0 dp-gd has none")
	f.IntVar(&s.runs, "runs", 3, "runs of each")
	f.BoolVar(&s.validation, "validation", false, "train on five sixths of the training part, and measure on every sixth record of it")
	f.StringVar(&s.features, "features", "", "folder to keep encoded features in, for later calls")
	f.IntVar(&s.request.Steps, "steps", 0, "as of dither train")
	f.Float64Var(&s.request.ClippingNorm, "clipping-norm", 0, "as of dither train")
	f.Float64Var(&s.l1Radius, "l1-radius", 0, "as of dither train")
	f.Float64Var(&s.request.Intercept, "intercept", 0, "as of dither train")
	f.Float64Var(&s.options.LearningRate, "learning-rate", 0, "as of dither train")
	f.Float64Var(&s.options.Momentum, "momentum", option.DefaultMomentum, "as of dither train")
	f.Float64Var(&s.options.Ridge, "ridge", 0, "as of dither train")
	s.networkFlags(f)
	if err := f.Parse(arguments); err != nil {
		return s, err
	}
	if s.network.Sampling.Probability > 0 {
		s.network.Sampling.Kind = option.SamplingPoisson
	}
	s.names, s.methods = listed(*chosen), methodNames(*methods)
	for _, text := range listed(*epsilons) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return s, fmt.Errorf("--epsilons has %q, want numbers", text)
		}
		s.epsilons = append(s.epsilons, v)
	}
	if s.folder == "" || s.runs < 1 {
		return s, errors.New("--data, or the variable DITHER_DATA, must name the folder of the data sets, and --runs be at least 1")
	}
	return s, nil
}

// listed splits a list at commas. An empty list has no entries.
func listed(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func run(ctx context.Context, arguments []string, w io.Writer) error {
	s, err := parse(arguments)
	if err != nil {
		return err
	}
	chosen, err := choose(s.names)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| set | measure | ε | method | mean | standard deviation | runs | seconds a run | settings |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range chosen {
		if err = s.measure(ctx, c, w); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// measure prints the lines of one set.
func (s settings) measure(ctx context.Context, c set, w io.Writer) error {
	p, err := s.prepare(ctx, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: encoded in %.1f s\n", c.name, p.seconds)
	epsilons := s.epsilons
	if epsilons == nil {
		epsilons = c.epsilons
	}
	for _, epsilon := range epsilons {
		for _, method := range s.methods {
			if err = s.repeat(ctx, c, p, method, epsilon, w); err != nil {
				return fmt.Errorf("%s: %w", method, err)
			}
		}
	}
	return nil
}

// repeat prints the line of one method at one epsilon, or none if the method is not for the set.
func (s settings) repeat(ctx context.Context, c set, p parts, method string, epsilon float64, w io.Writer) (err error) {
	began, scores, fits := time.Now(), []float64(nil), true
	var last outcome
	way, err := s.chosen(method, p, epsilon)
	for range s.runs {
		switch {
		case err != nil:
		case way == methodNetwork:
			last, fits, err = s.onceNetwork(ctx, c, p, epsilon)
		case way == option.MethodGD:
			last, err = s.once(ctx, c, p, epsilon)
		default:
			last, fits, err = s.onceBy(ctx, c, p, way, epsilon)
		}
		if err != nil || !fits {
			return err
		}
		scores = append(scores, last.score)
	}
	if way != method {
		last.settings = way
	}
	mean, deviation := moments(scores)
	seconds := time.Since(began).Seconds() / float64(s.runs)
	_, err = fmt.Fprintf(w, "| %s | %s | %v | %s | %.2f | %.2f | %d | %.1f | %s |\n", c.name, c.measure(), epsilon, method, 100*mean, 100*deviation, s.runs, seconds, last.settings)
	return err
}

// moments returns the mean and the standard deviation, which is 0 for a single score.
func moments(scores []float64) (mean, deviation float64) {
	n := float64(len(scores))
	for _, v := range scores {
		mean += v / n
	}
	for _, v := range scores {
		deviation += (v - mean) * (v - mean) / max(1, n-1)
	}
	return mean, math.Sqrt(deviation)
}
