package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reviews writes a table of texts, some with quotes and lines, whose words tell the level.
func reviews(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("review,year,label\n")
	for i := range n {
		word := []string{"dull", "fine"}[i%2]
		fmt.Fprintf(&b, "\"A \"\"%s\"\" film,\nnumber %d of the year\",%d,%s\n", word, i%37, 1990+i%31, []string{"bad", "good"}[i%2])
	}
	return writeText(t, "reviews.csv", b.String())
}

// TestTrainTexts drafts a schema with a text column, checks the table, trains from memory and from the
// cache, predicts and measures.
func TestTrainTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(cacheVariable, filepath.Join(t.TempDir(), "cache"))
	table := reviews(t, 300)
	mustInvoke(t, "schema", "init", table, "--target", "label", "--levels", "label=bad,good", "--numeric", "year=1990:2020", "--text", "review", "--max-records", "400", "--out", "s.yaml")
	text, err := os.ReadFile("s.yaml")
	if err != nil || !strings.Contains(string(text), "review: {text: {buckets: 4096, ngrams: 1, stop-words: english, values: presence}, missing: zero}") {
		t.Fatalf("got schema %s, error %v", text, err)
	}
	mustInvoke(t, "schema", "check", "s.yaml", table)
	for _, out := range []string{"m", "streamed"} {
		args := []string{"train", "--data", table, "--schema", "s.yaml", "--out", out, "--non-private", "--quiet"}
		if out == "streamed" {
			args = append(args, "--stream")
		}
		mustInvoke(t, args...)
	}
	if weightsOf(t, "m") != weightsOf(t, "streamed") {
		t.Error("memory and cache gave other weights")
	}
	mustInvoke(t, "verify", "m")
	metrics, _ := mustInvoke(t, "evaluate", "m", table)
	if !strings.Contains(metrics, "100.00 %") {
		t.Errorf("got %s, want all reviews told apart", metrics)
	}
	writeText(t, "new.csv", "year,review\n2000,a fine film\n2001,\n2002,\"dull,\ndull\"\n")
	got, _ := mustInvoke(t, "predict", "m", "new.csv")
	lines := strings.Split(got, "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[1], "1,good,") || !strings.HasPrefix(lines[3], "3,bad,") {
		t.Errorf("got predictions %q", got)
	}
	writeText(t, "t.svm", "1 1:1 2:1\n")
	if status, _, messages := invoke("train", "--data", "t.svm", "--schema", "s.yaml"); status == exitDone || !strings.Contains(messages, "text column and the file is in the LIBSVM format") {
		t.Errorf("a LIBSVM file: got status %d and %q", status, messages)
	}
}

// TestTrainFrozen trains behind a public encoder: its weights go into the model folder, their hash into
// model and certificate, and a folder without them, or with others, is refused.
func TestTrainFrozen(t *testing.T) {
	schema, table := workplace(t, 400)
	header := `{"0.weight":{"dtype":"F32","shape":[4,6],"data_offsets":[0,96]},"0.bias":{"dtype":"F32","shape":[4],"data_offsets":[96,112]}}`
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for i := range 28 {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(float32(math.Sin(float64(i+1)))))
	}
	if err := os.Mkdir("public", 0o700); err != nil {
		t.Fatal(err)
	}
	weights := writeText(t, filepath.Join("public", "enc.safetensors"), string(file))
	args := []string{"train", "--data", table, "--schema", schema, "--out", "m", "--quiet", "--transform", "encoder:layers=0:tanh,file=" + weights}
	mustInvoke(t, args...)
	if err := os.RemoveAll("public"); err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, "verify", "m")
	mustInvoke(t, "predict", "m", table)
	certificate, err := os.ReadFile(filepath.Join("m", "certificate.json"))
	if err != nil || !strings.Contains(string(certificate), "weights in enc.safetensors are public") || strings.Contains(string(certificate), "public/enc") {
		t.Errorf("got certificate %s, error %v", certificate, err)
	}
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "m", "--replace", "--quiet", "--transform", "encoder:layers=0:relu,file=m/enc.safetensors")
	beside := filepath.Join("m", "enc.safetensors")
	writeText(t, beside, strings.Replace(string(file), "\x00", "\x01", 1))
	if status, _, messages := invoke("predict", "m", table); status == exitDone || !strings.Contains(messages, "SHA-256") {
		t.Errorf("other weights: got status %d and %q", status, messages)
	}
	if err = os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	if status, _, messages := invoke("verify", "m"); status == exitDone || !strings.Contains(messages, "enc.safetensors cannot be opened") {
		t.Errorf("no weights: got status %d and %q", status, messages)
	}
}
