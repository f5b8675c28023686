package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// A node is a JSON value with its fields in the order of the file.
type node struct {
	raw    string // of a string, number or word
	names  []string
	values []*node // of an object, in the order of names, or of a list
	list   bool
}

// parseNode reads a JSON value whose names occur once.
func parseNode(t *testing.T, text []byte) *node {
	t.Helper()
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	text = bytes.TrimSpace(raw)
	if text[0] != '{' && text[0] != '[' {
		return &node{raw: string(text)}
	}
	n := &node{list: text[0] == '['}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		if !n.list {
			name, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			n.names = append(n.names, name.(string))
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		n.values = append(n.values, parseNode(t, value))
	}
	return n
}

// text is the value as dither indents it.
func (n *node) text() []byte {
	var compact, out bytes.Buffer
	n.write(&compact)
	_ = json.Indent(&out, compact.Bytes(), "", " ")
	return out.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	if n.names == nil && !n.list && n.raw != "" {
		b.WriteString(n.raw)
		return
	}
	opening, closing := "{", "}"
	if n.list {
		opening, closing = "[", "]"
	}
	b.WriteString(opening)
	for i, v := range n.values {
		if i > 0 {
			b.WriteByte(',')
		}
		if !n.list {
			name, _ := json.Marshal(n.names[i])
			b.Write(name)
			b.WriteByte(':')
		}
		v.write(b)
	}
	b.WriteString(closing)
}

// field is the value of a field, or nil.
func (n *node) field(name string) *node {
	if i := slices.Index(n.names, name); i >= 0 {
		return n.values[i]
	}
	return nil
}

// An alteration is one edit of a value, which undo takes back.
type alteration struct {
	path, kind string
	do, undo   func()
}

// mostEntries is how many entries of a list that have the same fields are edited one by one.
const mostEntries = 2

// shape names the fields of a value, and those of the value of a single one.
func (n *node) shape() string {
	out := strings.Join(n.names, " ")
	if len(n.names) == 1 {
		out += ": " + n.values[0].shape()
	}
	return out
}

// alterations lists edits of every value beneath a node.
func (n *node) alterations(path string) []alteration {
	var out []alteration
	like := map[string]int{}
	for i, v := range n.values {
		name := fmt.Sprint(i)
		if !n.list {
			name = n.names[i]
		} else if like[v.shape()]++; like[v.shape()] > mostEntries {
			continue
		}
		at := path + "/" + name
		for _, with := range v.others() {
			was := *v
			out = append(out, alteration{at, "to " + artefact.Shortly(string(with.text())), func() { *v = *with }, func() { *v = was }})
		}
		names, values := n.names, n.values
		restore := func() { n.names, n.values = names, values }
		out = append(out, alteration{at, "removed", func() {
			n.values = slices.Delete(slices.Clone(values), i, i+1)
			if !n.list {
				n.names = slices.Delete(slices.Clone(names), i, i+1)
			}
		}, restore}, alteration{at, "doubled", func() {
			n.values = slices.Insert(slices.Clone(values), i, v)
			if !n.list {
				n.names = slices.Insert(slices.Clone(names), i, names[i])
			}
		}, restore})
		if !n.list {
			out = append(out, alteration{at, "in capitals", func() {
				n.names = slices.Clone(names)
				n.names[i] = strings.ToUpper(names[i])
			}, restore})
		}
		out = append(out, v.alterations(at)...)
	}
	return out
}

// forgeWords are words that stand for one another in some field. A word is replaced by each other one of its line.
var forgeWords = []string{
	"add-or-remove-one replace-one zero-out",
	"gdp rdp pld zcdp basic pure",
	"dp-gd dp-sgd dp-network output-perturbation objective-perturbation exponential zeroth-order frank-wolfe sufficient-statistics adassp least-squares newton l-bfgs query",
	"gradient example data-and-parameter declared-lipschitz",
	"flat auto-s auto-v psac global global-adaptive quantile projected",
	"full poisson truncated-poisson fixed-size partition shuffle cyclic",
	"gaussian laplace discrete permute-and-flip l1 l2 l-infinity exponential",
	"banded tree",
	"exact gradient-descent permuted-descent",
	"logistic hinge softmax one-vs-rest squared-classes",
	"huber squared quantile poisson",
	"unit clip none",
	"count mean frequencies radius covariance variances channel-covariance place-covariance labels bounds bins levels",
	"count sum mean variance histogram quantiles bounds covariance correlation categories radius aggregate",
	"mean median deviation correlation",
	"geometric logarithmic negative-binomial poisson",
	"tanh relu gelu sigmoid tempered-sigmoid",
	"age height sex town income",
	"f m low high",
}

// alternatives are the words that may stand in the place of one.
func alternatives(word string) (out []string) {
	for _, line := range forgeWords {
		if words := strings.Fields(line); slices.Contains(words, word) {
			out = append(out, words...)
		}
	}
	return out
}

// others lists values that a value may be replaced by.
func (n *node) others() []*node {
	words := []string{"null", `"infinity"`, "1e999", `{"a":1}`}
	switch {
	case n.list:
		words = append(words, "[]", `""`, "[[]]")
	case n.values != nil || n.raw == "":
		words = append(words, "{}", "[]", "1")
	case n.raw == "true" || n.raw == "false":
		words = append(words, "true", "false", "0")
	case n.raw[0] == '"':
		words = append(words, `""`, strings.TrimSuffix(n.raw, `"`)+`x"`, `" `+n.raw[1:], "0", `"`+strings.Repeat("0", 64)+`"`, `"2001-02-03T04:05:06Z"`)
		if half := len(n.raw) / 2; half > 50 { // numbers in base64, or a schema
			words = append(words, n.raw[:half]+"A"+n.raw[half+1:], strings.ReplaceAll(n.raw, "height:", "length:"))
		}
		for _, w := range alternatives(strings.Trim(n.raw, `"`)) {
			words = append(words, `"`+w+`"`)
		}
	default:
		words = append(words, "0", "1", "2", "2.5", "-"+strings.TrimPrefix(n.raw, "-"), `"`+n.raw+`"`, "NaN", "0.01")
		var v float64
		if json.Unmarshal([]byte(n.raw), &v) == nil {
			for _, w := range []float64{v * 1.05, v * 0.95, v * (1 - 1e-5), v + 1, v - 1, v * 2} {
				words = append(words, fmt.Sprint(w))
			}
		}
	}
	var out []*node
	for _, w := range words {
		if w != string(n.text()) && !n.near(w) {
			out = append(out, &node{raw: w})
		}
	}
	return out
}

// near reports whether a number differs from that of a node by what two machines may differ by.
func (n *node) near(w string) bool {
	var a, b float64
	return json.Unmarshal([]byte(n.raw), &a) == nil && json.Unmarshal([]byte(w), &b) == nil && math.Abs(a-b) <= 1e-6*math.Abs(a)
}

// A forgery is a folder that a test edits.
type forgery struct {
	t      *testing.T
	folder string
	files  map[string][]byte
	trees  map[string]*node
	disk   map[string][]byte // what stands in the folder
	mended map[*node]string  // the hashes that reseal changed, as they were
	// plansLoss says that the plan states the loss of the model.
	plansLoss bool
	// ledger is the durable ledger that the folder is held against, "" for none.
	ledger string
	// key must have signed the certificate; nil for none.
	key []ed25519.PublicKey
}

func newForgery(t *testing.T, folder string) *forgery {
	t.Helper()
	f := &forgery{t: t, folder: folder, files: map[string][]byte{}, trees: map[string]*node{}, disk: map[string][]byte{}, mended: map[*node]string{}}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		f.files[e.Name()], f.disk[e.Name()] = text, text
		if strings.HasSuffix(e.Name(), ".json") || e.Name() == artefact.SignatureName {
			f.trees[e.Name()] = parseNode(t, text)
			if again := f.trees[e.Name()].text(); string(bytes.TrimSpace(again)) != string(bytes.TrimSpace(text)) {
				t.Fatalf("%s is written as %s, want it as it was", e.Name(), again)
			}
		}
	}
	f.plansLoss = f.trees[certificate.FileName].field("plan").field("loss") != nil
	return f
}

// accepted reports whether the folder verifies, and whether the ledger that paid for it agrees.
func (f *forgery) accepted() bool {
	v, err := artefact.VerifySigned(f.folder, f.key, []string{"key"})
	if err == nil && v.Verified && f.ledger != "" {
		err = bookkeeping.Hold(f.t.Context(), f.ledger, f.folder, &v)
	}
	return err == nil && v.Verified
}

func (f *forgery) write(name string, text []byte) {
	f.t.Helper()
	if was, there := f.disk[name]; there && bytes.Equal(was, text) {
		return
	}
	if err := os.WriteFile(filepath.Join(f.folder, name), text, 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.disk[name] = bytes.Clone(text)
}

func (f *forgery) remove(name string) {
	f.t.Helper()
	delete(f.disk, name)
	if err := os.Remove(filepath.Join(f.folder, name)); err != nil {
		f.t.Fatal(err)
	}
}

// spelled is the text of a tree with the end that its file has.
func (f *forgery) spelled(name string) []byte {
	text := f.trees[name].text()
	if bytes.HasSuffix(f.files[name], []byte("\n")) {
		text = append(text, '\n')
	}
	return text
}

// reseal writes all files with the hashes of one another, as a forger does who knows the chain of hashes.
func (f *forgery) reseal(changed map[string][]byte) {
	f.t.Helper()
	text := func(name string) []byte {
		if t, there := changed[name]; there {
			return t
		}
		if f.trees[name] != nil {
			return f.spelled(name)
		}
		return f.files[name]
	}
	set := func(file string, path []string, hashed string) {
		if text(hashed) == nil || f.trees[file] == nil || changed[file] != nil {
			return
		}
		n := f.trees[file]
		for _, name := range path {
			if n = n.field(name); n == nil {
				return
			}
		}
		if _, there := f.mended[n]; !there {
			f.mended[n] = n.raw
		}
		n.raw = `"` + certificate.Hash(text(hashed)) + `"`
	}
	set(model.FileName, []string{"network", "sha256"}, model.WeightsFileName)
	set(artefact.EvaluationName, []string{"model-sha256"}, model.FileName)
	for field, name := range map[string]string{"model-sha256": model.FileName, "evaluation-sha256": artefact.EvaluationName, "iterates-sha256": artefact.IteratesName, "report-sha256": report.FileName} {
		if field == "model-sha256" && f.files[model.FileName] == nil {
			name = answerName
		}
		set(certificate.FileName, []string{field}, name)
	}
	for name := range f.files {
		f.write(name, text(name))
	}
}

// tamperedBytes lists what may happen to a file that is no JSON.
func tamperedBytes(text []byte) map[string][]byte {
	middle := slices.Clone(text)
	middle[len(middle)/2] ^= 1
	end := slices.Clone(text)
	end[len(end)-1] ^= 4
	return map[string][]byte{"a byte in the middle": middle, "the last byte": end, "cut short": text[:len(text)-1], "half": text[:len(text)/2], "empty": {}, "a byte more": append(slices.Clone(text), ' ')}
}

// originOfAnswer is what the certificate of an answer alone names.
var originOfAnswer = []string{"certificate.json/program", "certificate.json/run", "certificate.json/created"}

// ledgerFields are places that one folder of the walk alone has: each edit of them is tried.
const ledgerFields = certificate.FileName + "/ledger"

// editsVariable names a share of the edits, such as 3/24: with the tag long, those whose number is 3 modulo 24.
const editsVariable = "DITHER_EDITS"

// editShares says whether every edit is tried, and which of how many shares otherwise.
func editShares(t *testing.T) (every bool, share, turn int) {
	t.Helper()
	text := os.Getenv(editsVariable)
	if !editEvery || text == "" {
		return editEvery, editShare, 0
	}
	if n, err := fmt.Sscanf(text, "%d/%d", &turn, &share); n != 2 || err != nil || share < 1 || turn < 0 {
		t.Fatalf("%s is %q, want a number and a count, such as 3/24", editsVariable, text)
	}
	return false, share, turn
}

// TestVerifyRefusesEveryEdit edits each field of each file of each kind of folder in turn. No edit passes by itself; of
// edits whose hashes are mended none passes but those of the parts that freeParts names.
func TestVerifyRefusesEveryEdit(t *testing.T) {
	every, share, turn := editShares(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := makeForgeFolders(t, func(f forgeFolder) bool { return editEvery || f.often })
	if editEvery {
		t.Run("fields", func(t *testing.T) { checkFields(t, root, dir) })
	}
	used, tried := map[string]bool{}, 0
	for at, kind := range forgeFolders {
		if !editEvery && !kind.often {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			f := newForgery(t, filepath.Join(dir, kind.name))
			f.ledger = kind.ledger
			if kind.signed {
				f.key = []ed25519.PublicKey{publicKey(t, kind.name+".pub")}
			}
			if !f.accepted() {
				v, err := artefact.Verify(f.folder)
				t.Fatalf("the folder does not verify as it was made: %q %v", v.Disagreements, err)
			}
			count, free := 0, 0
			for name, tree := range f.trees {
				for i, a := range tree.alterations(name) {
					if always := strings.HasPrefix(a.path, ledgerFields) || name == artefact.SignatureName; !every && !always && i%share != (turn+len(kind.name))%share {
						continue
					}
					count++
					if f.try(name, a, i%aloneEvery == 0, used) {
						free++
					}
				}
			}
			if every || !editEvery || at%share == turn {
				f.checkBytes(used)
			}
			for name, text := range f.files {
				if now, err := os.ReadFile(filepath.Join(f.folder, name)); err != nil || !bytes.Equal(now, text) {
					t.Errorf("%s is not as it was at the end of the test (%v)", name, err)
				}
			}
			if !f.accepted() {
				t.Error("the folder does not verify at the end of the test")
			}
			tried += count
			t.Logf("%d edits, of which %d are free", count, free)
		})
	}
	if every {
		for _, p := range freeParts {
			if !used[p.where] && !p.pair {
				t.Errorf("%s is named as free and no edit of it passes, want it taken from the list", p.where)
			}
		}
	}
	t.Logf("%d edits; what passes is in %q", tried, slices.Sorted(maps.Keys(used)))
}

// aloneEvery says how often an edit of a file that a hash holds is tried without mended hashes, too: one of so many.
const aloneEvery = 16

// try makes one edit of a file, with mended hashes, and takes it back. It reports whether the edit passes. No hash holds
// the certificate, so that no hash is mended where it is edited. With alone, an edit of another file is tried without
// mended hashes, too.
func (f *forgery) try(name string, a alteration, alone bool, used map[string]bool) bool {
	t := f.t
	defer f.restore(a.undo)
	a.do()
	free, is := f.freeBy(a.path)
	is = is || f.files[answerName] != nil && slices.Contains(originOfAnswer, a.path)
	if name == certificate.FileName || alone {
		f.write(name, f.spelled(name))
		if passes := f.accepted(); name == certificate.FileName && is {
			if passes {
				used[free] = true
			}
			return passes
		} else if passes {
			t.Errorf("%s %s: the edit passes", a.path, a.kind)
		}
		if name == certificate.FileName {
			return false
		}
	}
	f.reseal(nil)
	passes := f.changed() && f.accepted() // mending takes edits of the hashes back
	if passes && !is {
		t.Errorf("%s %s: the edit passes with mended hashes", a.path, a.kind)
	}
	if passes {
		used[free] = true
	}
	return passes
}

// changed reports whether a file is not as it was made.
func (f *forgery) changed() bool {
	return !maps.EqualFunc(f.disk, f.files, bytes.Equal)
}

// restore takes an edit back, and writes the files as they were.
func (f *forgery) restore(undo func()) {
	for n, raw := range f.mended {
		n.raw = raw
	}
	clear(f.mended)
	undo()
	for name, text := range f.files {
		f.write(name, text)
	}
}

// checkBytes edits files as bytes, removes each and adds further ones.
func (f *forgery) checkBytes(used map[string]bool) {
	t := f.t
	for name, text := range f.files {
		for how, edited := range tamperedBytes(text) {
			if name == certificate.FileName && how == "a byte in the middle" {
				continue // it may be of a number that is free
			}
			f.write(name, edited)
			if f.accepted() {
				t.Errorf("%s, %s: the edit passes", name, how)
			}
			if f.trees[name] == nil && (editEvery || how == "half" || how == "the last byte") {
				f.reseal(map[string][]byte{name: edited})
				free, is := f.freeBy(name)
				if passes := f.accepted(); passes && !is {
					t.Errorf("%s, %s: the edit passes with mended hashes", name, how)
				} else if passes {
					used[free] = true
				}
			}
			f.restore(func() {})
		}
		path := filepath.Join(f.folder, name)
		f.remove(name)
		if f.accepted() {
			t.Errorf("%s removed: the edit passes", name)
		}
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if f.accepted() {
			t.Errorf("%s a folder: the edit passes", name)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		f.write(name, text)
	}
	for _, name := range []string{"notes.txt", ".hidden", artefact.IteratesName, artefact.EvaluationName, answerName, report.FileName, model.FileName, model.WeightsFileName, artefact.SignatureName, "CERTIFICATE.JSON"} {
		if f.files[name] != nil {
			continue
		}
		f.write(name, []byte("{}"))
		if f.accepted() {
			t.Errorf("%s added: the edit passes", name)
		}
		f.remove(name)
	}
}

// freeBy is the part of freeParts that a path belongs to. The plan of a run of a private choice has the same parts. A
// loss that the plan states, too, is not free.
func (f *forgery) freeBy(path string) (string, bool) {
	path = strings.Replace(path, "certificate.json/plan/run/", "certificate.json/plan/", 1)
	for _, p := range freeParts {
		if p.covers(path) {
			return p.where, !strings.HasPrefix(path, "model.json/loss") || !f.plansLoss
		}
	}
	return "", false
}
