package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/together"
)

const droppedSchema = `dither-schema: 1
name: dropped
row: one person
max-records: 1000
target: {column: y, levels: ["0", "1"]}
columns:
`

// droppedTables writes tables of 40 rows. The schema drops all rows but the number that is used. It
// returns, for each kind of table, the arguments of train.
func droppedTables(t *testing.T, used int) map[string][]string {
	t.Helper()
	var people, sparse, calls strings.Builder
	people.WriteString("id,who,x,color,note,y\n")
	calls.WriteString("caller,cost\n")
	for i := range 40 {
		x, y := fmt.Sprint(i*7%9), fmt.Sprint(i*i%2)
		label := y
		if i < 40-used {
			x, label = "", "7"
		}
		fmt.Fprintf(&people, "i%d,p%d,%s,%s,%s,%s\n", i, i*i%23, x, []string{"red", "green"}[i%2], []string{"a cough", "well"}[i%2], y)
		fmt.Fprintf(&sparse, "%s 1:%d 3:1\n", label, i*5%9)
		fmt.Fprintf(&calls, "i%d,%d\n", i*i%23, i)
	}
	file := func(name, text string) string { return writeText(t, fmt.Sprintf("%d-%s", used, name), text) }
	table, other := file("people.csv", people.String()), file("calls.csv", calls.String())
	numbers := "  x: {numeric: [0, 8], out-of-range: clamp, missing: drop}\n  color: {levels: [red, green], unknown: other, missing: zero}\n"
	plain := file("plain.yaml", droppedSchema+"  id: ignore\n  who: ignore\n  note: ignore\n"+numbers)
	words := file("words.yaml", droppedSchema+"  id: ignore\n  who: ignore\n  note: {text: {buckets: 256}}\n"+numbers)
	joined := file("joined.yaml", droppedSchema+"  id: ignore\n  who: ignore\n  note: ignore\n"+numbers+`related:
  calls:
    key: caller
    people-key: id
    max-rows: 20
    columns:
      cost: {numeric: [0, 40], out-of-range: clamp}
    features:
      calls: {count: true}
`)
	few := file("few.yaml", droppedSchema+"  a: {numeric: [0, 8], out-of-range: clamp, missing: zero}\n  b: {numeric: [0, 8], out-of-range: clamp, missing: zero}\n  c: {numeric: [0, 8], out-of-range: clamp, missing: zero}\n")
	rows := []string{"--data", table, "--schema", plain}
	with := func(more ...string) []string { return append(slices.Clip(rows), more...) }
	return map[string][]string{
		"numbers":    with("--interactions", "none", "--whiten", "no"),
		"8 bits":     with("--interactions", "none", "--whiten", "no", "--feature-bits", "8"),
		"pairs":      with("--interactions", "all", "--whiten", "yes"),
		"covariance": with("--interactions", "none", "--whiten", "yes"),
		"transforms": with("--transform", "fourier:features=8,bandwidth=2,seed=1", "--whiten", "no"),
		"radius":     with("--row-normalization", "clip", "--row-radius", "private", "--whiten", "no"),
		"batches":    with("--whiten", "no", "--records", "40", "--neighboring", "replace-one", "--batch-size", "40"),
		"persons":    with("--unit", "person:who", "--max-records-per-person", "3", "--whiten", "no"),
		"texts":      {"--data", table, "--schema", words, "--whiten", "no"},
		"related":    {"--data", table, "--schema", joined, "--related", "calls=" + other, "--whiten", "no"},
		"LIBSVM":     {"--data", file("few.libsvm", sparse.String()), "--schema", few, "--whiten", "no", "--feature-bits", "8"},
	}
}

// TestStreamDroppedRows trains on tables where no row, one row or every row can be used. Without
// privacy it wants the same weights from memory and from an encoded table. A private run succeeds in
// each way, and is verified. Where some row can be used, private runs stand behind the tag long.
func TestStreamDroppedRows(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(cacheVariable, t.TempDir())
	for _, used := range []int{0, 1, 40} {
		for kind, args := range droppedTables(t, used) {
			train := func(out string, more ...string) string {
				out = fmt.Sprintf("%d %s %s", used, kind, out)
				mustInvoke(t, append(append([]string{"train", "--quiet", "--out", out}, args...), more...)...)
				return out
			}
			free := []string{"--non-private", "--steps", "5", "--learning-rate", "1"}
			want := weightsOf(t, train("memory", free...))
			for _, way := range []string{"--stream", "--cache-features"} {
				if kind == "related" && way == "--cache-features" { // is refused
					continue
				}
				if got := weightsOf(t, train(way, append(free, way)...)); got != want {
					t.Errorf("%s, %d of 40 rows used: %s has the weights\n%s\nwant those of memory\n%s", kind, used, way, got, want)
				}
				if used == 0 || thorough {
					mustInvoke(t, "verify", train("private "+way, "--epsilon", "1", way))
				}
			}
			if used == 0 || thorough {
				mustInvoke(t, "verify", train("private", "--epsilon", "1"))
			}
		}
	}
}

// TestRanksDropRows trains on two ranks. One or both have no row that can be used. Without
// privacy it wants the same weights from memory and from a stream, and from one process with the rows
// of both. A private run succeeds in each way. Other kinds of rows than numbers have private runs only where no rank
// has a row, unless this is the tag long.
func TestRanksDropRows(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(cacheVariable, t.TempDir())
	none, all := droppedTables(t, 0), droppedTables(t, 40)
	for _, kind := range []string{"numbers", "pairs", "texts", "LIBSVM"} {
		for name, own := range map[string][]string{"the first": {none[kind][1], all[kind][1]}, "the second": {all[kind][1], none[kind][1]}, "both": {none[kind][1], none[kind][1]}, "one file": nil} {
			name = kind + ", " + name
			alone, args, ways := all[kind], slices.Clone(all[kind]), [][]string{nil}
			if own != nil { // a file for each rank; else the second rank has no row of the one file
				ending := filepath.Ext(args[1])
				for rank, path := range own {
					writeText(t, fmt.Sprintf("%s-%d%s", name, rank, ending), readText(t, path))
				}
				args[1], ways = name+"-{rank}"+ending, append(ways, []string{"--stream"})
			}
			if len(own) > 0 && own[0] == own[1] {
				alone = none[kind]
			}
			run := func(out string, more ...string) string {
				out = name + " " + out
				_, errs := trainOnRanks(2, append(append([]string{"--quiet", "--out", out}, args...), more...)...)
				for rank, err := range errs {
					if err != nil && !together.IsSilent(err) {
						t.Fatalf("%s: rank %d: %v", out, rank, err)
					}
				}
				return out
			}
			free := []string{"--non-private", "--steps", "5", "--learning-rate", "1", "--clipping-norm", "1"}
			mustInvoke(t, append(append([]string{"train", "--quiet", "--out", name + " alone"}, alone...), free...)...)
			want := weightsOf(t, name+" alone")
			for _, way := range ways {
				if got := weightsOf(t, run(fmt.Sprint("free", way), append(free, way...)...)); got != want {
					t.Errorf("%s, %v: the weights are\n%s\nwant those of one process\n%s", name, way, got, want)
				}
				if kind == "numbers" || alone[1] == none[kind][1] || thorough {
					mustInvoke(t, "verify", run(fmt.Sprint("private", way), append([]string{"--epsilon", "1"}, way...)...))
				}
			}
		}
	}
}
