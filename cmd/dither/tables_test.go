package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/format"
)

// TestTableFlags wants tables without a header, without quotes, in parts and from other formats to be trained on,
// checked, evaluated, asked and predicted alike.
func TestTableFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	var csv, tsv strings.Builder
	for i := range 300 {
		fmt.Fprintf(&csv, "n%d,%d,%d\n", i, i%10, i%10/5)
		fmt.Fprintf(&tsv, "\"n%d\t%d\t%d\n", i, i%10, i%10/5)
	}
	writeText(t, "t.csv", csv.String())
	writeText(t, "t.tsv", tsv.String())
	if err := os.Mkdir("parts", 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, "parts/1.csv", csv.String()[:len(csv.String())/2])
	writeText(t, "parts/2.csv", csv.String()[len(csv.String())/2:])
	init := []string{"schema", "init", "t.csv", "--columns", "id,a,y", "--target", "y", "--levels", "y=0,1", "--numeric", "a=0:9", "--ignore", "id", "--max-records", "300", "--records", "300", "--out", "t.yaml"}
	mustInvoke(t, init...)
	for _, c := range []struct{ name, flags string }{{"t.csv", ""}, {"t.csv", "--columns id,a,y"}, {"t.tsv", "--quote none"}} {
		mustInvoke(t, append([]string{"schema", "check", "t.yaml", c.name}, strings.Fields(c.flags)...)...)
	}
	mustInvoke(t, "train", "--data", "t.csv", "--schema", "t.yaml", "--epsilon", "20", "--quiet", "--steps", "10", "--out", "m")
	mustInvoke(t, "query", "count", "--data", "t.tsv", "--quote", "none", "--schema", "t.yaml")
	mustInvoke(t, "evaluate", "m", "t.csv")
	want, _ := mustInvoke(t, "predict", "m", "t.csv", "--pass-through", "id")
	lines := readCSV(t, want)
	if len(lines) != 301 || lines[0][1] != "id" || lines[0][2] != "prediction" || lines[8][1] != "n7" || lines[8][2] != "1" {
		t.Errorf("got %v and %v, want the id and the prediction of each row", lines[0], lines[8])
	}
	if got, _ := mustInvoke(t, "predict", "m", "t.tsv", "--pass-through", "id", "--quote", "none"); strings.ReplaceAll(got, `"""n`, "n") == want || strings.Count(got, "\n") != 301 {
		t.Errorf("without quotes: got %.200s", got)
	}
	if got, _ := mustInvoke(t, "predict", "m", "t.csv"); strings.Contains(got, "n7") {
		t.Error("a column is passed through that was not asked for")
	}
	piped := func() string {
		writeText(t, "wide.csv", strings.ReplaceAll(csv.String(), "\n", ",x\n"))
		in, err := os.Open("wide.csv")
		if err != nil {
			t.Fatal(err)
		}
		defer func(was *os.File) { os.Stdin = was }(os.Stdin)
		os.Stdin = in
		got, _ := mustInvoke(t, "predict", "m", "-", "--columns", "id,a,y,town", "--pass-through", "id,town")
		return got
	}()
	if strings.ReplaceAll(strings.Replace(piped, ",town", "", 1), ",x,", ",") != want {
		t.Errorf("got %.200s from standard input, want %.200s with a column of x that the schema does not name", piped, want)
	}
	for _, args := range [][]string{{"predict", "m", "wide.csv", "--columns", "id,a,y,town"}, {"predict", "m", "t.csv", "--pass-through", "nobody"}, {"predict", "m", "t.csv", "--quote", "both"}, {"predict", "m", "none-*.csv"}, {"train", "--data", "parts", "--schema", "t.yaml", "--stream"}} {
		if status, _, stderr := invoke(args...); status != exitUsage || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q, want %d and one line", args, status, stderr, exitUsage)
		}
	}
	stdout, _ := mustInvoke(t, "train", "--help")
	for _, f := range format.Kinds() {
		if !strings.Contains(stdout, f.Name) {
			t.Errorf("train --help does not name %s", f.Name)
		}
	}
}
