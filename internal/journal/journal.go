// Package journal keeps the results of a sweep in a file, so that a sweep that was stopped goes on.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/sweep"
)

// Definition is everything that decides what a sweep runs. It is written into the file of results.
// A sweep continues only from a file with the same definition.
type Definition struct {
	// Fixed are the settings that all runs share, by name.
	Fixed []sweep.Setting `json:"fixed"`
	// Varied are the varied parameters, in the order in which they were given.
	Varied  []sweep.Parameter `json:"varied"`
	Repeats int               `json:"repeats"`
	// Baseline is true if runs without privacy are among the runs.
	Baseline bool `json:"baseline,omitempty"`
	// Data are the SHA-256 hashes of the files that are read, by role: tables, schema and layers.
	Data []sweep.Setting `json:"data"`
	// Program is the program with its version.
	Program string `json:"program"`
	// Plans is the SHA-256 of the plans and events of all runs. Programs of one version may plan the
	// same settings by other rules. Older files do not have it.
	Plans string `json:"plans-sha256,omitempty"`
}

// otherPlans is the difference between definitions whose settings agree and whose plans do not.
const otherPlans = "its runs were planned by other rules, or by a version that did not keep their plans, so what they cost is not known here"

// hash is the SHA-256 of the definition's JSON.
func (d Definition) hash() (string, error) {
	text, err := json.Marshal(d)
	return certificate.Hash(text), err
}

// difference describes the first difference between two definitions, or returns "" if they are
// equal.
func (d Definition) difference(was Definition) string {
	if d.Program != was.Program {
		return fmt.Sprintf("it was begun by %s and this is %s", was.Program, d.Program)
	}
	for _, pair := range [][2]map[string]string{{d.settings(), was.settings()}, {named(d.Data), named(was.Data)}} {
		for _, name := range union(pair[0], pair[1]) {
			now, before := pair[0][name], pair[1][name]
			switch {
			case now == before:
			case now == "":
				return fmt.Sprintf("%s was %s and is not given", name, before)
			case before == "":
				return fmt.Sprintf("%s was not given and is %s", name, now)
			case pair[0]["repeats"] == "":
				return fmt.Sprintf("the bytes of %s have changed", name)
			default:
				return fmt.Sprintf("%s was %s and is %s", name, before, now)
			}
		}
	}
	if !slices.EqualFunc(d.Varied, was.Varied, func(a, b sweep.Parameter) bool { return a.Name == b.Name }) {
		return "the varied parameters are in another order"
	}
	if d.Plans != was.Plans {
		return otherPlans
	}
	return ""
}

// settings returns the fixed and varied settings by name, the varied ones with all their values.
func (d Definition) settings() map[string]string {
	out := named(d.Fixed)
	for _, p := range d.Varied {
		out[p.Name] = strings.Join(p.Values, ", ")
	}
	out["repeats"] = fmt.Sprint(d.Repeats)
	if d.Baseline {
		out["baseline"] = "true"
	}
	return out
}

func named(settings []sweep.Setting) map[string]string {
	out := map[string]string{}
	for _, s := range settings {
		out[s.Name] = strings.TrimPrefix(out[s.Name]+", "+s.Value, ", ")
	}
	return out
}

func union(a, b map[string]string) []string {
	var names []string
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Journal is the file of results of a sweep, with one line of JSON for each entry. The header has
// the definition and its hash. The other lines are runs that begin, before their first draw of
// noise, and the results of runs that end. A line is written in one piece and is on disk before the
// next line. After a crash the file is complete up to its last line, which is dropped if it is
// incomplete. A Journal is safe for concurrent use.
type Journal struct {
	mutex sync.Mutex
	file  *os.File
	// begun counts the runs of each candidate that began. results holds the runs that ended.
	begun   map[string]int
	results map[string]sweep.Measurement
}

// header is the first line.
type header struct {
	Format     string     `json:"format"`
	Version    int        `json:"format-version"`
	SHA256     string     `json:"definition-sha256"`
	Definition Definition `json:"definition"`
}

// line is any other line: a run or a result.
type line struct {
	Begin  []sweep.Run        `json:"begin,omitempty"`
	Result *sweep.Measurement `json:"result,omitempty"`
}

const journalFormat, journalVersion, maxJournal = "dither-sweep", 1, 1 << 30

// Open opens the file of results of a definition, or makes it with mode 0600. It returns an
// error if the file has another definition, and describes the difference. It also returns an error
// if the file is no file of results. If the system can tell, so it does if another process has the
// file open.
func Open(path string, d Definition) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sweep: the file of results cannot be opened: %w", err)
	}
	j := &Journal{file: file, begun: map[string]int{}, results: map[string]sweep.Measurement{}}
	if err = lock(file); err == nil {
		err = j.open(d)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// errOtherSweep is wrapped by the error about a file of results with another definition.
var errOtherSweep = errors.New("the folder holds another sweep")

func (j *Journal) open(d Definition) error {
	text, err := io.ReadAll(io.LimitReader(j.file, maxJournal))
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if err = j.file.Truncate(int64(whole)); err != nil {
		return err
	}
	if _, err = j.file.Seek(int64(whole), io.SeekStart); err != nil {
		return err
	}
	sum, err := d.hash()
	if err != nil {
		return err
	}
	if whole == 0 {
		return j.write(header{journalFormat, journalVersion, sum, d})
	}
	lines := bytes.Split(text[:whole-1], []byte("\n"))
	var h header
	if err = strict.Decode(lines[0], &h); err != nil || h.Format != journalFormat || h.Version != journalVersion {
		return fmt.Errorf("sweep: the file of results begins with something else, want one that dither sweep wrote; name another folder")
	}
	if h.SHA256 != sum {
		difference, remedy := d.difference(h.Definition), "name another folder, or go on with the sweep as it was"
		if difference == otherPlans {
			remedy = "finish it with the version that began it, or give another --out; dither clean removes private results"
		}
		return fmt.Errorf("sweep: %w: %s; %s", errOtherSweep, difference, remedy)
	}
	for i, text := range lines[1:] {
		if err = j.read(text); err != nil {
			return fmt.Errorf("sweep: line %d of the file of results: %w, want it as dither sweep wrote it; name another folder", i+2, err)
		}
	}
	return nil
}

// read adopts one line of an earlier process.
func (j *Journal) read(text []byte) error {
	var l line
	if err := strict.Decode(text, &l); err != nil {
		return errors.New("it cannot be read")
	}
	if (l.Result == nil) == (len(l.Begin) == 0) {
		return errors.New("it has neither runs that begin nor a result")
	}
	j.note(l)
	return nil
}

func (j *Journal) note(l line) {
	for _, r := range l.Begin {
		j.begun[runKey(r.Settings, r.Baseline)]++
	}
	if l.Result != nil {
		j.results[resultKey(l.Result.Run)] = *l.Result
	}
}

// write writes one line and waits until it is on disk.
func (j *Journal) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err = j.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("sweep: the file of results cannot be written: %w", err)
	}
	return j.file.Sync()
}

// begin records that runs begin. Whatever happens then, they count as paid.
func (j *Journal) Begin(runs []sweep.Run) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	l := line{Begin: runs}
	if err := j.write(l); err != nil {
		return err
	}
	j.note(l)
	return nil
}

// end records the results of runs, one line for each.
func (j *Journal) End(results []sweep.Measurement) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for i := range results {
		l := line{Result: &results[i]}
		if err := j.write(l); err != nil {
			return err
		}
		j.note(l)
	}
	return nil
}

// Result returns the result of a run, if it has ended.
func (j *Journal) Result(r sweep.Run) (sweep.Measurement, bool) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	found, has := j.results[resultKey(r)]
	return found, has
}

// Begun returns how many runs of a candidate began, with those that were interrupted.
func (j *Journal) Begun(c *sweep.Candidate) int {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.begun[runKey(c.Settings, c.Baseline)]
}

// Close closes the file.
func (j *Journal) Close() error {
	if err := j.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// resultKey tells a run from all others.
func resultKey(r sweep.Run) string {
	return fmt.Sprintf("%s\x00%d", runKey(r.Settings, r.Baseline), r.Repeat)
}

// runKey tells the configuration of a run from all others.
func runKey(settings []sweep.Setting, baseline bool) string {
	var b strings.Builder
	if baseline {
		b.WriteString("baseline")
	}
	for _, s := range settings {
		fmt.Fprintf(&b, "\x00%s\x00%s", s.Name, s.Value)
	}
	return b.String()
}
