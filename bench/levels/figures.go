package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// figure is one number that a benchmark prints: the name of the benchmark and the unit.
type figure struct{ bench, metric string }

// processors is the suffix of a benchmark's name: the number of processors, where it is not one.
var processors = regexp.MustCompile(`-[0-9]+$`)

// figures returns the numbers in the output of a test program, and the processor that it names.
func figures(output string) (found map[figure][]float64, processor string) {
	found = map[figure][]float64{}
	for line := range strings.Lines(output) {
		if name, is := strings.CutPrefix(line, "cpu: "); is {
			processor = strings.TrimSpace(name)
		}
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(words[0], "Benchmark")
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				f := figure{name, words[i+1]}
				found[f] = append(found[f], v)
			}
		}
	}
	return found, processor
}

// find returns the numbers of a benchmark, whose printed name may end in the number of processors.
func find(found map[figure][]float64, name, metric string) []float64 {
	for f, v := range found {
		if f.metric == metric && (f.bench == name || processors.ReplaceAllString(f.bench, "") == name) {
			return v
		}
	}
	return nil
}

// median returns the middle of some numbers, of an even count the mean of two.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// spread returns the distance between the quartiles by the median. Up to three numbers have the full range instead.
func spread(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	cut := len(v) / 4
	return (v[len(v)-1-cut] - v[cut]) / median(v)
}

// short returns a number with three digits at most, or with as many as stand before the point.
func short(v float64) string {
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	if v == 0 || digits < 0 {
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// print writes one table for each section.
func (m *machine) print(w io.Writer, chosen []question) error {
	fmt.Fprintf(w, "%s, %d processors, %s/%s, %s; median of %d runs\n", m.processor, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), m.counts)
	section := ""
	for _, q := range chosen {
		if q.section != section {
			section = q.section
			fmt.Fprintf(w, "\n## %s\n\n| question | unit | %s | spread | benchmark |\n|---|---|%s---|---|\n", section,
				strings.Join(m.settings.levels, " | "), strings.Repeat("---|", len(m.settings.levels)))
		}
		if _, err := fmt.Fprintln(w, m.line(q)); err != nil {
			return err
		}
	}
	return nil
}

// line returns the row of a question. Its spread is the largest of its levels.
func (m *machine) line(q question) string {
	cells, widest := []string{q.text, q.unit}, 0.0
	for _, level := range m.settings.levels {
		v := m.values[q.at(level)]
		if len(v) == 0 {
			cells = append(cells, "–")
			continue
		}
		cells, widest = append(cells, short(median(v)*q.scale)), max(widest, spread(v))
	}
	cells = append(cells, fmt.Sprintf("%.0f %%", 100*widest), "`"+q.pkg+" "+q.bench+"`")
	return "| " + strings.Join(cells, " | ") + " |"
}
