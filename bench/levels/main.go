// Command levels measures the benchmarks of docs/benchmarks.md at each level of the processor. It prints
// tables in Markdown, with the median of several runs. It builds the test binaries once and needs Go alone.
// From the root of the repository:
//
//	go run ./bench/levels
//	go run ./bench/levels --levels avx2,avx512 --only 'Training' --counts 3
//	go run ./bench/levels --under 'taskset -c 0,1' --pause 5s
//
// Questions that read public data sets need the variable DITHER_DATA. Questions about files of tables need
// DITHER_TABLES, a folder that bench/peers/tables.py fills. Without the variable such a question is left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"
)

// levelNames are the names that DITHER_PROCESSOR takes, from the lowest level to the highest.
var levelNames = []string{"portable", "avx2", "avx512", "avx512-vnni"}

// settings are the flags.
type settings struct {
	levels []string
	only   *regexp.Regexp
	under  []string
	counts int
	pause  time.Duration
	limit  time.Duration
	list   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "levels:", err)
		os.Exit(1)
	}
}

func parse(arguments []string, stderr io.Writer) (settings, error) {
	s := settings{}
	f := flag.NewFlagSet("levels", flag.ContinueOnError)
	f.SetOutput(stderr)
	levels := f.String("levels", strings.Join(levelNames, ","), "levels of the processor, with commas between them; a level above the machine's is left out")
	only := f.String("only", "", "regular expression that the section, the question or the benchmark contains")
	under := f.String("under", "", "command that each benchmark runs under, such as: taskset -c 0,1")
	f.IntVar(&s.counts, "counts", 5, "runs of each benchmark, whose median is printed")
	f.DurationVar(&s.pause, "pause", 0, "pause after each process, for the other programs of the machine")
	f.DurationVar(&s.limit, "limit", 2*time.Minute, "longest time of one process")
	f.BoolVar(&s.list, "list", false, "print the questions and measure nothing")
	if err := f.Parse(arguments); err != nil {
		return s, err
	}
	s.levels, s.under = strings.Split(*levels, ","), strings.Fields(*under)
	for _, level := range s.levels {
		if !slices.Contains(levelNames, level) {
			return s, fmt.Errorf("--levels has %q, want some of %s", level, strings.Join(levelNames, ", "))
		}
	}
	slices.SortFunc(s.levels, func(a, b string) int { return slices.Index(levelNames, a) - slices.Index(levelNames, b) })
	if s.counts < 1 || f.NArg() > 0 {
		return s, errors.New("--counts must be at least 1, and flags are all that levels takes")
	}
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		return s, fmt.Errorf("--only: %w", err)
	}
	return s, nil
}

// run measures what the arguments ask for and prints the tables.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	s, err := parse(arguments, stderr)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(questions), func(q question) bool {
		return !s.only.MatchString(q.section + "\n" + q.text + "\n" + q.bench)
	})
	if !s.list {
		chosen = slices.DeleteFunc(chosen, func(q question) bool { return q.needs != "" && os.Getenv(q.needs) == "" })
	}
	if s.list {
		for _, q := range chosen {
			fmt.Fprintf(stdout, "%s: %s: %s -bench %s\n", q.section, q.text, q.pkg, q.bench)
		}
		return nil
	}
	b, err := build(ctx, chosen, stderr)
	if err != nil {
		return err
	}
	defer b.remove()
	m := machine{settings: s, binaries: b, stderr: stderr, values: map[place][]float64{}}
	return errors.Join(m.measure(ctx, chosen), m.print(stdout, chosen)) // what was measured before a fault is printed
}
