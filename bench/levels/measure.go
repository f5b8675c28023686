package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// binaries are the test programs of packages, in a folder of their own.
type binaries struct {
	folder, root string
}

// build compiles the test program of each package that the questions name.
func build(ctx context.Context, questions []question, stderr io.Writer) (binaries, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("the folder of the module: %w", err)
	}
	b := binaries{root: strings.TrimSpace(string(out))}
	if b.folder, err = os.MkdirTemp("", "levels-"); err != nil {
		return b, err
	}
	packages := map[string]bool{}
	for _, q := range questions {
		packages[q.pkg] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		c := exec.CommandContext(ctx, "go", "test", "-c", "-o", b.path(pkg), "./"+pkg)
		c.Dir, c.Stdout, c.Stderr = b.root, stderr, stderr
		if err = c.Run(); err != nil {
			b.remove()
			return b, fmt.Errorf("building the tests of %s: %w", pkg, err)
		}
	}
	return b, nil
}

// path returns the file of a package's test program.
func (b binaries) path(pkg string) string {
	return filepath.Join(b.folder, strings.ReplaceAll(pkg, "/", "-")+".test.exe")
}

func (b binaries) remove() { _ = os.RemoveAll(b.folder) }

// place is one question at one level.
type place struct{ pkg, bench, metric, level string }

// machine is what measures, and what was measured.
type machine struct {
	settings
	binaries
	stderr    io.Writer
	processor string
	best      string
	values    map[place][]float64
}

// group is the questions that one process answers.
type group struct {
	pkg, top, benchtime, flags string
	once                       bool
}

// measure runs each group of questions at each level. A group without kernels runs at the best level alone.
func (m *machine) measure(ctx context.Context, chosen []question) error {
	var groups []group
	members := map[group][]question{}
	for _, q := range chosen {
		g := q.group()
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], q)
	}
	if len(groups) == 0 {
		return fmt.Errorf("no question is like %v", m.only)
	}
	if err := m.probe(ctx, groups[0].pkg); err != nil {
		return err
	}
	for _, g := range groups {
		for _, level := range m.settings.levels {
			if g.once && level != m.best {
				continue
			}
			if err := m.runGroup(ctx, g, members[g], level); err != nil {
				return err
			}
		}
	}
	return nil
}

// probe leaves out the levels that the machine refuses.
func (m *machine) probe(ctx context.Context, pkg string) error {
	m.settings.levels = slices.DeleteFunc(m.settings.levels, func(level string) bool {
		c := exec.CommandContext(ctx, m.path(pkg), "-test.run", "^$")
		c.Env = append(os.Environ(), "DITHER_PROCESSOR="+level)
		if err := c.Run(); err != nil {
			fmt.Fprintf(m.stderr, "%s: left out: %v\n", level, err)
			return true
		}
		m.best = level
		return false
	})
	if m.best == "" {
		return fmt.Errorf("the machine has none of the levels")
	}
	return nil
}

// runGroup runs one process and takes its figures.
func (m *machine) runGroup(ctx context.Context, g group, asked []question, level string) error {
	words := append(slices.Clone(m.under), m.path(g.pkg), "-test.run", "^$", "-test.bench", pattern(asked, level),
		"-test.benchtime", g.benchtime, "-test.count", fmt.Sprint(m.counts), "-test.timeout", m.limit.String())
	c := exec.CommandContext(ctx, words[0], append(words[1:], strings.Fields(g.flags)...)...)
	c.Dir, c.Env = filepath.Join(m.root, filepath.FromSlash(g.pkg)), append(os.Environ(), "DITHER_PROCESSOR="+level)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	start := time.Now()
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s at %s: %w\n%s", g.pkg, level, err, out.Bytes())
	}
	fmt.Fprintf(m.stderr, "%s %s at %s: %.1f s\n", g.pkg, g.top, level, time.Since(start).Seconds())
	found, processor := figures(out.String())
	if processor != "" {
		m.processor = processor
	}
	for _, q := range asked {
		v := find(found, q.name(level), q.metric)
		if len(v) == 0 {
			return fmt.Errorf("%s at %s: no figure of %s\n%s", g.pkg, level, q.name(level), out.Bytes())
		}
		m.values[q.at(level)] = v
	}
	select {
	case <-time.After(m.pause):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// pattern returns the regular expression that names some benchmarks, one part for each slash.
func pattern(asked []question, level string) string {
	var parts [][]string
	for _, q := range asked {
		for i, word := range strings.Split(q.name(level), "/") {
			if i == len(parts) {
				parts = append(parts, nil)
			}
			if word = regexp.QuoteMeta(word); !slices.Contains(parts[i], word) {
				parts[i] = append(parts[i], word)
			}
		}
	}
	var joined []string
	for _, words := range parts {
		joined = append(joined, "^("+strings.Join(words, "|")+")$")
	}
	return "^Benchmark" + strings.TrimPrefix(strings.Join(joined, "/"), "^")
}
