package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// cacheVariable names the environment variable with the cache folder.
const cacheVariable = "DITHER_CACHE"

// TestStream trains from the cache, without privacy so that two runs may be compared: the same model as
// in memory, the second run from the table that the first one encoded, another one when the table or
// what is declared changes; files that nobody else may read, listed and removed.
func TestStream(t *testing.T) {
	schema, table := workplace(t, 3000)
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv(cacheVariable, cache)
	run := func(out string, more ...string) string {
		_, messages := mustInvoke(t, append([]string{"train", "--data", table, "--schema", schema, "--out", out, "--non-private", "--whiten", "no"}, more...)...)
		return messages
	}
	run("memory")
	first := run("first", "--stream")
	second := run("second", "--stream")
	if !strings.Contains(first, "encoding the table once") || !strings.Contains(second, "was encoded before") {
		t.Errorf("the first run said %q, the second %q", first, second)
	}
	want := weightsOf(t, "memory")
	for _, folder := range []string{"first", "second"} {
		if got := weightsOf(t, folder); got != want {
			t.Errorf("%s: other weights than from memory:\n%s\n%s", folder, got, want)
		}
	}
	if again := run("third", "--stream", "--feature-bits", "8"); !strings.Contains(again, "encoding the table once") {
		t.Errorf("with other feature bits: %q", again)
	}
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the cache holds %v, %v, want two tables", files, err)
	}
	for _, file := range append(files, cache) {
		if info, failed := os.Stat(file); failed != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v, want it closed to others", file, info.Mode(), failed)
		}
	}
	if out, _ := mustInvoke(t, "data"); !strings.Contains(out, filepath.Base(files[0])) || !strings.Contains(out, table) {
		t.Errorf("dither data lacks the encoded tables:\n%s", out)
	}
	if out, _ := mustInvoke(t, "clean", "--dry-run"); !strings.Contains(out, "would remove") {
		t.Errorf("dry run: %s", out)
	}
	mustInvoke(t, "clean")
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) != 0 {
		t.Errorf("dither clean left %v", left)
	}
	if out, _ := mustInvoke(t, "clean"); !strings.Contains(out, "there is nothing in") {
		t.Errorf("an empty cache: %s", out)
	}
}

// TestStreamPlansAsMemory wants one plan, with one price, from memory, from the cache in every step and from the cache
// once. Without privacy it wants the same weights too. Rows are scaled by frequencies, whitened in full, or sampled.
// Nothing but encoded tables stays in the cache.
func TestStreamPlansAsMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(cacheVariable, "cache")
	schema, table := writeText(t, "s.yaml", fmt.Sprintf(fruitSchema, "levels: [0, 1]")), checkered(t, ".", 4000)
	train := func(out string, more ...string) string {
		_, messages := mustInvoke(t, append([]string{"train", "--data", table, "--schema", schema, "--out", out}, more...)...)
		return messages
	}
	for name, flags := range map[string][]string{"pairs": nil, "covariance": {"--interactions", "none"}, "plain": {"--whiten", "no"}} {
		train(name, flags...)
		want, err := certificate.Read(filepath.Join(name, certificate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"--stream", "--cache-features"} {
			if said := train(name+way, append(flags, way)...); strings.Contains(said, "without whitening") {
				t.Errorf("%s %s said %q", name, way, said)
			}
			mustInvoke(t, "verify", name+way)
			if c, failed := certificate.Read(filepath.Join(name+way, certificate.FileName)); failed != nil || string(c.Plan) != string(want.Plan) || c.Event != want.Event || c.Epsilon != want.Epsilon {
				t.Errorf("%s %s: plan %s costs %v, want that of memory, %s for %v: %v", name, way, c.Plan, c.Epsilon, want.Plan, want.Epsilon, failed)
			}
		}
	}
	for name, flags := range map[string][]string{"free pairs": {"--interactions", "all"}, "free covariance": {"--interactions", "none"}} {
		flags = append(flags, "--non-private", "--whiten", "yes", "--steps", "20", "--learning-rate", "1")
		train(name, flags...)
		for _, way := range []string{"--stream", "--cache-features"} {
			if train(name+way, append(flags, way)...); weightsOf(t, name+way) != weightsOf(t, name) {
				t.Errorf("%s %s: other weights than from memory", name, way)
			}
		}
	}
	if said := train("samples", "--stream", "--sampling-probability", "0.2", "--steps", "5"); !strings.Contains(said, "--stream trains without whitening here; --cache-features would whiten") {
		t.Errorf("samples of a stream: %q", said)
	}
	if code, _, said := invoke("train", "--data", table, "--schema", schema, "--stream", "--whiten", "diagonal"); code != exitUsage || !strings.Contains(said, "--stream takes --whiten full") {
		t.Errorf("squares of a stream: status %d and %q", code, said)
	}
	if left, err := filepath.Glob(filepath.Join("cache", "*")); err != nil || len(left) != 2 {
		t.Errorf("the cache holds %v, want the table with pairs and without: %v", left, err)
	}
}

// TestStreamPersons trains on persons whose rows do not stand together, without privacy: the same model from memory,
// from the cache in every step, and from the cache once. A cached table of rows is not taken for one of persons. A
// private model is verified, and nothing else than encoded tables stays in the cache.
func TestStreamPersons(t *testing.T) {
	var b strings.Builder
	b.WriteString("who,day,age,sick,note\n")
	for i := range 900 {
		fmt.Fprintf(&b, "%s,%d,%d,%d,%s\n", []string{"", fmt.Sprint("p", i*i%251)}[min(1, i%50)], i%7, 20+i*37%60, i*i*i%2, []string{"a cough", "no cough", "well"}[i%3])
	}
	t.Chdir(t.TempDir())
	writeText(t, "days.csv", b.String())
	head := "dither-schema: 1\nrow: one day of a person\nmax-records: 5000\ntarget: {column: sick, levels: [\"0\", \"1\"]}\ndefaults: {missing: zero, out-of-range: clamp}\n"
	writeText(t, "days.yaml", head+"columns:\n  who: ignore\n  day: {numeric: [0, 6]}\n  age: {numeric: [0, 100]}\n  note: ignore\n")
	writeText(t, "words.yaml", head+"columns:\n  who: ignore\n  day: ignore\n  age: ignore\n  note: {text: {buckets: 256}}\n")
	cache := t.TempDir()
	t.Setenv(cacheVariable, cache)
	train := func(schema, out string, more ...string) string {
		_, messages := mustInvoke(t, append([]string{"train", "--data", "days.csv", "--schema", schema + ".yaml", "--out", out, "--whiten", "no", "--steps", "20", "--learning-rate", "1"}, more...)...)
		return messages
	}
	persons := []string{"--unit", "person:who", "--max-records-per-person", "3"}
	for _, schema := range []string{"days", "words"} {
		train(schema, schema+"-rows", "--stream")
		train(schema, schema+"-memory", append(persons, "--non-private")...)
		first := train(schema, schema+"-stream", append(persons, "--non-private", "--stream")...)
		second := train(schema, schema+"-features", append(persons, "--non-private", "--cache-features")...)
		if !strings.Contains(first, "encoding the table once") || !strings.Contains(second, "was encoded before") {
			t.Errorf("%s: the first run said %q, the second %q", schema, first, second)
		}
		for _, way := range []string{"-stream", "-features"} {
			if got, want := weightsOf(t, schema+way), weightsOf(t, schema+"-memory"); got != want {
				t.Errorf("%s%s: other weights than from memory:\n%s\n%s", schema, way, got, want)
			}
		}
		train(schema, schema+"-private", append(persons, "--stream", "--sampling-probability", "0.2")...)
		if out, _ := mustInvoke(t, "verify", schema+"-private"); !strings.Contains(out, "all rows with one who, of which at most 3 are used") {
			t.Errorf("the certificate has another unit:\n%s", out)
		}
	}
	if files, err := filepath.Glob(filepath.Join(cache, "*")); err != nil || len(files) != 4 {
		t.Errorf("the cache holds %v, %v, want four tables", files, err)
	}
}

// weightsOf returns the line of a model file with the weights.
func weightsOf(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	_, weights, found := strings.Cut(string(text), `"weights"`)
	if !found {
		t.Fatalf("%s: no weights in the model file", folder)
	}
	return weights
}

// TestStreamRepairsTheCache damages an encoded table and leaves a file of an interrupted writer: the one is
// made anew or refused before a model is written, the other is removed by clean alone.
func TestStreamRepairsTheCache(t *testing.T) {
	schema, table := workplace(t, 500)
	cache := t.TempDir()
	t.Setenv(cacheVariable, cache)
	arguments := []string{"train", "--data", table, "--schema", schema, "--out", "m", "--stream"}
	mustInvoke(t, arguments...)
	files, _ := filepath.Glob(filepath.Join(cache, "*.rows"))
	if len(files) != 1 {
		t.Fatalf("the cache holds %v", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, files[0], string(text[:len(text)-20]))
	if _, messages := mustInvoke(t, append(arguments, "--replace")...); !strings.Contains(messages, "encoding the table once") {
		t.Errorf("a table that was cut: %q", messages)
	}
	text[3] ^= 1
	writeText(t, files[0], string(text))
	if code, _, messages := invoke(append(arguments, "--replace")...); code != 1 || !strings.Contains(messages, "damaged") || !strings.Contains(messages, "dither clean") {
		t.Errorf("a changed byte: %d, %q", code, messages)
	}
	writeText(t, filepath.Join(cache, durable.Prefix+"X"), "half")
	writeText(t, filepath.Join(cache, "notes.txt"), "mine")
	mustInvoke(t, "clean")
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) != 1 {
		t.Errorf("dither clean left %v, want the file that is not its own", left)
	}
}

func TestStreamRefusals(t *testing.T) {
	schema, table := workplace(t, 50)
	t.Setenv(cacheVariable, t.TempDir())
	for name, arguments := range map[string][]string{
		"built in":        {"--stream"},
		"squares":         {"--data", table, "--schema", schema, "--stream", "--whiten", "diagonal"},
		"whitened parts":  {"--data", table, "--schema", schema, "--stream", "--whiten", "yes", "--sampling-probability", "0.1"},
		"private radius":  {"--data", table, "--schema", schema, "--stream", "--records", "50", "--neighboring", "replace-one", "--batch-size", "9", "--row-normalization", "clip", "--row-radius", "private"},
		"not in memory":   {"--data", table, "--schema", schema, "--stream", "--print-not-private"},
		"both":            {"--data", table, "--schema", schema, "--stream", "--cache-features"},
		"cached built in": {"--cache-features"},
		"feature bits":    {"--data", table, "--schema", schema, "--feature-bits", "7"},
	} {
		if code, _, messages := invoke(append([]string{"train"}, arguments...)...); code != 2 || !strings.Contains(messages, "want") {
			t.Errorf("%s: %d, %q", name, code, messages)
		}
	}
}

// TestStreamRefusesTheLastIterate asks for a price that rows in a file do not have. A dry run refuses
// as the run does, before the table is encoded. The rule auto is refused only where it takes that price.
func TestStreamRefusesTheLastIterate(t *testing.T) {
	_, table := workplace(t, 500)
	schema := writeText(t, "declared.yaml", strings.Replace(binaryText, "max-records:", "records: 500\nmax-records:", 1))
	cache := t.TempDir()
	t.Setenv(cacheVariable, cache)
	base := []string{"train", "--data", table, "--schema", schema, "--quiet", "--epsilon", "1"}
	with := func(arguments ...string) []string { return append(base[:len(base):len(base)], arguments...) }
	for _, c := range []struct {
		arguments []string
		status    int
	}{
		{[]string{"--stream", "--accounting", "last-iterate", "--ridge", "0.1", "--steps", "200"}, exitUsage},
		{[]string{"--stream", "--accounting", "auto", "--ridge", "0.1", "--steps", "200"}, exitUsage},
		{[]string{"--stream", "--accounting", "auto", "--ridge", "0", "--steps", "20"}, exitDone},
		{[]string{"--accounting", "last-iterate", "--ridge", "0.1", "--steps", "200"}, exitDone},
		{[]string{"--cache-features", "--accounting", "last-iterate", "--ridge", "0.1", "--steps", "200"}, exitDone},
	} {
		for _, dry := range []bool{true, false} {
			arguments := with(c.arguments...)
			if dry {
				arguments = append(arguments, "--dry-run")
			}
			status, _, message := invoke(arguments...)
			if status != c.status || status == exitUsage && !strings.Contains(message, "prices the last iterate alone here, want --accounting composition, or leave --stream out") {
				t.Errorf("%v, dry %v: got %d, %q, want %d", c.arguments, dry, status, message, c.status)
			}
			if kept, err := os.ReadDir(cache); c.status == exitUsage && (err != nil || len(kept) > 0) {
				t.Errorf("%v, dry %v: the cache holds %v, %v, want nothing", c.arguments, dry, kept, err)
			}
		}
	}
	mustInvoke(t, "ledger", "create", "led", "--data", "declared", "--epsilon", "5", "--delta", "1e-5", "--row", ledgerUnit, "--rows-per-person", "5")
	status, _, message := invoke(with("--stream", "--accounting", "last-iterate", "--ridge", "0.1", "--steps", "200", "--ledger", "led", "--charge", "50%")...)
	if status != exitUsage || message == "" || strings.Contains(message, "led: ") {
		t.Errorf("with a charge: got %d, %q, want the refusal of the plan, which says nothing about the ledger", status, message)
	}
}

// TestCacheFeatures trains on features that an earlier run kept, without privacy so that two runs may be
// compared: the same whitened model as without the cache; other transforms are encoded anew; a damaged
// table is refused before anything is spent.
func TestCacheFeatures(t *testing.T) {
	schema, table := workplace(t, 2000)
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv(cacheVariable, cache)
	arguments := func(out string, more ...string) []string {
		return append([]string{"train", "--data", table, "--schema", schema, "--out", out, "--non-private", "--whiten", "full", "--steps", "20"}, more...)
	}
	fourier := []string{"--transform", "fourier:features=8,bandwidth=2,seed=1"}
	mustInvoke(t, arguments("memory", fourier...)...)
	_, first := mustInvoke(t, arguments("first", append(fourier, "--cache-features")...)...)
	_, second := mustInvoke(t, arguments("second", append(fourier, "--cache-features")...)...)
	if !strings.Contains(first, "encoding the table once") || !strings.Contains(second, "was encoded before") {
		t.Errorf("the first run said %q, the second %q", first, second)
	}
	want := weightsOf(t, "memory")
	for _, folder := range []string{"first", "second"} {
		if got := weightsOf(t, folder); got != want {
			t.Errorf("%s: other weights than without the cache:\n%s\n%s", folder, got, want)
		}
	}
	if _, other := mustInvoke(t, arguments("third", "--cache-features", "--transform", "fourier:features=8,bandwidth=2,seed=2")...); !strings.Contains(other, "encoding the table once") {
		t.Errorf("with other transforms: %q", other)
	}
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the cache holds %v, %v, want two tables", files, err)
	}
	for _, file := range files {
		info, failed := os.Stat(file)
		if failed != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v, want mode 0600", file, info.Mode(), failed)
		}
		text, failed := os.ReadFile(file)
		if failed != nil {
			t.Fatal(failed)
		}
		if !strings.Contains(string(text), `"made":"`) {
			t.Errorf("%s does not say what its transforms made", file)
		}
		text[3] ^= 1
		writeText(t, file, string(text))
	}
	if code, _, messages := invoke(arguments("fourth", append(fourier, "--cache-features")...)...); code != 1 || !strings.Contains(messages, "damaged") || !strings.Contains(messages, "dither clean") {
		t.Errorf("a changed byte: %d, %q", code, messages)
	}
	mustInvoke(t, "clean")
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) != 0 {
		t.Errorf("dither clean left %v", left)
	}
}

// TestStreamSeesChangedTables changes a table and keeps its size and times: its rows are encoded anew.
func TestStreamSeesChangedTables(t *testing.T) {
	schema, table := workplace(t, 300)
	cache := t.TempDir()
	t.Setenv(cacheVariable, cache)
	args := []string{"train", "--data", table, "--schema", schema, "--stream", "--steps", "3", "--records", "300"}
	train := func(out string, encodes bool) {
		t.Helper()
		if _, stderr := mustInvoke(t, append(args, "--out", out)...); strings.Contains(stderr, "encoding the table once") != encodes {
			t.Errorf("%s: got %q, want the table encoded: %v", out, stderr, encodes)
		}
	}
	train("a", true)
	train("b", false)
	info, err := os.Stat(table)
	text, readErr := os.ReadFile(table)
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	at := strings.LastIndexAny(string(text), "012345678")
	text[at]++
	if err = os.WriteFile(table, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err = os.Chtimes(table, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	train("c", true)
}

// TestCacheFolderIsPrivate refuses a folder that everybody can write in.
func TestCacheFolderIsPrivate(t *testing.T) {
	schema, table := workplace(t, 300)
	cache := t.TempDir()
	t.Setenv(cacheVariable, cache)
	if err := os.Chmod(cache, 0o777); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(cache); err != nil || info.Mode().Perm() != 0o777 {
		t.Skip("this system has no such permissions")
	}
	args := []string{"train", "--data", table, "--schema", schema, "--stream", "--steps", "3", "--out", "m", "--quiet"}
	if status, _, stderr := invoke(args...); status != exitUsage || !strings.Contains(stderr, "chmod 700") || display.Exists("m") {
		t.Errorf("got status %d and %q, want a refusal that says what helps", status, stderr)
	}
	if err := os.Chmod(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, args...)
}
