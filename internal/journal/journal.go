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
	// Plans is the SHA-256 of everything that the runs would do: plans, events and the use of what
	// they release. Programs of one version may follow other rules at the same settings. Older files
	// do not have it.
	Plans string `json:"plans-sha256,omitempty"`
}

// otherPlans is the difference between definitions whose settings agree and whose plans do not.
const otherPlans = "its runs were planned by other rules, or by a version that did not keep their plans, so what they cost is not known here"

// hash is the SHA-256 of the definition's JSON.
func (d Definition) hash() (string, error) {
	text, err := json.Marshal(d)
	return certificate.Hash(text), err
}

// difference describes the first difference between two definitions with different hashes.
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
	switch {
	case d.Plans != was.Plans:
		return otherPlans
	case !slices.Equal(d.Fixed, was.Fixed):
		return "the settings are in another order"
	}
	return "its first line is not as dither sweep wrote it"
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
	// runs has the runs of the sweep. begun counts how often each of them began, and at repeat 0 how
	// often runs of its candidate began. results holds the runs that ended.
	runs    map[string]bool
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

// Open opens the file of results of the runs of candidates, or makes it with mode 0600. It returns
// an error if the file has another definition, and describes the difference. It also returns an
// error if the file is no file of results, or if its lines are no account of these runs. Such an
// error leaves the file unchanged, and advises what anew says, such as "give another --out". If the
// system can tell, Open also returns an error if another process has the file open.
func Open(path string, d Definition, candidates []sweep.Candidate, anew string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sweep: the file of results cannot be opened: %w", err)
	}
	j := &Journal{file: file, runs: map[string]bool{}, begun: map[string]int{}, results: map[string]sweep.Measurement{}}
	for i := range candidates {
		c := &candidates[i]
		for repeat := range c.Runs(d.Repeats) {
			j.runs[runKey(sweep.Run{Settings: c.Settings, Baseline: c.Baseline, Repeat: repeat + 1})] = true
		}
	}
	if err = lock(file); err == nil {
		err = j.open(path, d, anew)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// errOtherSweep is wrapped by the error about a file of results with another definition.
var errOtherSweep = errors.New("holds another sweep")

// open adopts the lines of earlier processes. It changes the file only after it accepted all of
// them: then it drops a torn last line, or writes the header of a new file. A last line that is whole but
// for its end, which an editor may remove, is adopted and gets its end.
func (j *Journal) open(path string, d Definition, anew string) error {
	text, err := io.ReadAll(io.LimitReader(j.file, maxJournal+1))
	if err != nil {
		return err
	}
	sum, err := d.hash()
	if err != nil {
		return err
	}
	first := header{journalFormat, journalVersion, sum, d}
	head, err := json.Marshal(first)
	if err != nil {
		return err
	}
	whole, missing := bytes.LastIndexByte(text, '\n')+1, "" // the end of the last line
	if whole > 0 && json.Valid(text[whole:]) {
		text, missing = append(text, '\n'), "\n"
		whole = len(text)
	}
	switch {
	case len(text) > maxJournal:
		return fmt.Errorf("sweep: %s has more than %d bytes, want a file that dither sweep wrote; %s", path, maxJournal, anew)
	case whole > 0:
		err = j.adopt(path, bytes.Split(text[:whole-1], []byte("\n")), first, anew)
	case !bytes.HasPrefix(head, text): // a crash in the first write leaves the beginning of it
		err = notOurs(path, anew)
	}
	if err == nil {
		whole -= len(missing)
		err = j.file.Truncate(int64(whole))
	}
	if err == nil {
		_, err = j.file.WriteAt([]byte(missing), int64(whole))
	}
	if err == nil {
		_, err = j.file.Seek(0, io.SeekEnd)
	}
	if err == nil && whole == 0 {
		err = j.write(first)
	}
	return err
}

// notOurs returns the error about a file that does not begin as a file of results.
func notOurs(path, anew string) error {
	return fmt.Errorf("sweep: %s begins with something else, want a file that dither sweep wrote; %s", path, anew)
}

// adopt adopts the whole lines of a file. The first line must be this header.
func (j *Journal) adopt(path string, lines [][]byte, want header, anew string) error {
	var h header
	if err := strict.Decode(lines[0], &h); err != nil || h.Format != journalFormat || h.Version != journalVersion {
		return notOurs(path, anew)
	}
	if h.SHA256 != want.SHA256 {
		difference, remedy := want.Definition.difference(h.Definition), "go on with the sweep as it was"
		if difference == otherPlans {
			remedy = "finish it with the version that began it"
		}
		return fmt.Errorf("sweep: %s %w: %s; %s, or %s", path, errOtherSweep, difference, remedy, anew)
	}
	for i, text := range lines[1:] {
		if err := j.read(text); err != nil {
			return fmt.Errorf("sweep: %s, line %d: %w, want the lines as dither sweep wrote them; put back an intact copy, or %s", path, i+2, err, anew)
		}
	}
	return nil
}

// read adopts one line of an earlier process. A result without an earlier line by which its run
// began would count in the means and not in the cost.
func (j *Journal) read(text []byte) error {
	var l line
	if err := strict.Decode(text, &l); err != nil {
		return errors.New("it cannot be read")
	}
	if (l.Result == nil) == (len(l.Begin) == 0) {
		return errors.New("it has neither runs that begin nor a result")
	}
	for _, r := range l.Begin {
		switch key := runKey(r); {
		case !j.runs[key]:
			return errors.New("a run that begins is none of this sweep")
		case j.ended(key):
			return errors.New("a run begins that has its result")
		}
	}
	if l.Result != nil {
		switch key := runKey(l.Result.Run); {
		case !j.runs[key]:
			return errors.New("the result is of no run of this sweep")
		case j.begun[key] == 0:
			return errors.New("no line before this result has the run that begins, so its cost would be left out")
		case j.ended(key):
			return errors.New("it is the second result of a run")
		}
	}
	j.note(l)
	return nil
}

// ended reports whether a run has its result.
func (j *Journal) ended(key string) bool {
	_, has := j.results[key]
	return has
}

func (j *Journal) note(l line) {
	for _, r := range l.Begin {
		j.begun[runKey(r)]++
		r.Repeat = 0
		j.begun[runKey(r)]++
	}
	if l.Result != nil {
		j.results[runKey(l.Result.Run)] = *l.Result
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
	found, has := j.results[runKey(r)]
	return found, has
}

// Begun returns how many runs of a candidate began, with those that were interrupted.
func (j *Journal) Begun(c *sweep.Candidate) int {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.begun[runKey(sweep.Run{Settings: c.Settings, Baseline: c.Baseline})]
}

// Close closes the file.
func (j *Journal) Close() error {
	if err := j.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// runKey tells a run from all others.
func runKey(r sweep.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%t\x00%d", r.Baseline, r.Repeat)
	for _, s := range r.Settings {
		fmt.Fprintf(&b, "\x00%q\x00%q", s.Name, s.Value)
	}
	return b.String()
}
