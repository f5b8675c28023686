package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
)

// trainNetwork trains a small network on the table of a workplace.
func trainNetwork(t *testing.T, schema, table, out string, more ...string) (stdout, stderr string) {
	t.Helper()
	args := []string{"train", "--data", table, "--schema", schema, "--out", out, "--steps", "3", "--sampling", "full", "--quiet"}
	if !slices.Contains(more, "--frozen-from") {
		args = append(args, "--model", "mlp", "--hidden", "6,4")
	}
	return mustInvoke(t, append(args, more...)...)
}

// TestTrainNetwork makes a folder of a network and uses it.
func TestTrainNetwork(t *testing.T) {
	schema, table := workplace(t, 900)
	out, _ := trainNetwork(t, schema, table, "m", "--json")
	var s training.Summary
	if err := json.Unmarshal([]byte(out), &s); err != nil || !s.Private || float64(s.Epsilon) > 1+1e-9 || float64(s.Epsilon) < 0.99 {
		t.Fatalf("got %s, error %v, want a private model of epsilon 1", out, err)
	}
	entries, err := os.ReadDir("m")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	if want := []string{certificate.FileName, model.FileName, model.WeightsFileName, report.FileName}; !slices.Equal(names, want) {
		t.Errorf("got files %v, want %v", names, want)
	}
	m, err := model.Load("m")
	if err != nil || m.Network() == nil || m.Network().Weights() != 7*6+7*4+5 {
		t.Fatalf("got %v, error %v, want a network of 6 features, 6 and 4 hidden units", m, err)
	}
	verified, _ := mustInvoke(t, "verify", "m")
	if !strings.Contains(verified, "epsilon 1 and delta 1e-06") {
		t.Errorf("got %s", verified)
	}
	page, err := os.ReadFile(filepath.Join("m", report.FileName))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"network, logistic loss, 75 weights", "dp-network", "0 linear: {outputs: 6}", "6 → 6, 42 weights", "by rule flat", model.WeightsFileName} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the report lacks %q", want)
		}
	}
	metrics, _ := mustInvoke(t, "evaluate", "m", table)
	if !strings.Contains(metrics, "accuracy") {
		t.Errorf("got %s", metrics)
	}
	predictions, _ := mustInvoke(t, "predict", "m", table)
	if lines := strings.Count(predictions, "\n"); lines != 901 {
		t.Errorf("got %d lines of predictions, want 901", lines)
	}
	trainNetwork(t, schema, table, "m", "--replace")
}

// TestTrainNetworkLearns wants a network of large epsilon, and a baseline, to tell levels apart that no linear
// model can: y is 1 where exactly one of a and b is large. Of 150 runs of each none was below 0.93, so that one is
// below 0.9 with a probability of less than 0.03 (with confidence 0.98), and four are of less than 1e-6.
func TestTrainNetworkLearns(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range 1000 {
		x, y := i*37%11, i*53%13%11
		fmt.Fprintf(&b, "%d,%d,%d\n", x, y, (x/6)^(y/6))
	}
	schema, table := writeText(t, "s.yaml", formatsSchema), writeText(t, "t.csv", b.String())
	for name, budget := range map[string][]string{"private": {"--epsilon", "50"}, "baseline": {"--non-private"}} {
		learned := false
		for try := range 4 {
			out := fmt.Sprint(name, try)
			mustInvoke(t, append([]string{"train", "--data", table, "--schema", schema, "--out", out, "--model", "mlp", "--hidden", "16", "--sampling", "full", "--steps", "200", "--optimizer", "adam", "--learning-rate", "0.1", "--quiet"}, budget...)...)
			text, _ := mustInvoke(t, "evaluate", out, table, "--json")
			found := regexp.MustCompile(`"accuracy": ([0-9.]+)`).FindStringSubmatch(text)
			if found != nil && numbersIn(found[1])[0] > 0.9 {
				learned = true
				break
			}
		}
		if !learned {
			t.Errorf("%s: got an accuracy of at most 0.9 four times", name)
		}
	}
}

// TestVerifyFindsChangedNetworks changes one byte of the weights, and mixes the files of two runs.
func TestVerifyFindsChangedNetworks(t *testing.T) {
	schema, table := workplace(t, 300)
	trainNetwork(t, schema, table, "m")
	trainNetwork(t, schema, table, "other", "--hidden", "5,4")
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "linear", "--steps", "1", "--quiet")
	good := map[string][]byte{}
	for _, name := range []string{certificate.FileName, model.FileName, model.WeightsFileName} {
		text, err := os.ReadFile(filepath.Join("m", name))
		if err != nil {
			t.Fatal(err)
		}
		good[name] = text
	}
	read := func(folder, name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	changed := bytes.Clone(good[model.WeightsFileName])
	changed[len(changed)-2] ^= 1
	for name, c := range map[string]struct {
		files  map[string][]byte
		status int
		want   string
	}{
		"one bit":              {map[string][]byte{model.WeightsFileName: changed}, exitFailed, "the SHA-256 of network.safetensors"},
		"other weights":        {map[string][]byte{model.WeightsFileName: read("other", model.WeightsFileName)}, exitFailed, "the SHA-256 of network.safetensors"},
		"other model":          {map[string][]byte{model.FileName: read("other", model.FileName), model.WeightsFileName: read("other", model.WeightsFileName)}, exitFailed, "the layers is"},
		"linear model":         {map[string][]byte{model.FileName: read("linear", model.FileName)}, exitFailed, "the model is linear"},
		"linear certificate":   {map[string][]byte{certificate.FileName: read("linear", certificate.FileName)}, exitFailed, "the model is a network"},
		"more trained weights": {map[string][]byte{certificate.FileName: bytes.Replace(good[certificate.FileName], []byte(`"trained": 75`), []byte(`"trained": 76`), 1)}, exitFailed, "trained numbers are 76"},
		"less noise": {map[string][]byte{certificate.FileName: regexp.MustCompile(`"noise-multiplier": [0-9.]+`).ReplaceAll(good[certificate.FileName], []byte(`"noise-multiplier": 0.5`))},
			exitFailed, "epsilon"},
	} {
		folder := t.TempDir()
		for part, text := range good {
			if own, has := c.files[part]; has {
				if bytes.Equal(own, text) {
					t.Fatalf("%s: the edit does not apply", name)
				}
				text = own
			}
			if err := os.WriteFile(filepath.Join(folder, part), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		status, stdout, stderr := invoke("verify", folder)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: got exit status %d, %s%s, want %d and %q", name, status, stdout, stderr, c.status, c.want)
		}
	}
}

// stopper cancels a run once its progress says a word.
type stopper struct {
	at   string
	stop func()
	text strings.Builder
}

func (s *stopper) Write(p []byte) (int, error) {
	if s.stop != nil && bytes.Contains(p, []byte(s.at)) {
		s.stop()
		s.stop = nil
	}
	return s.text.Write(p)
}

// TestResumeNetwork stops a run, goes on from its checkpoint, and wants the steps that were made twice to be paid
// twice.
func TestResumeNetwork(t *testing.T) {
	schema, table := workplace(t, 300)
	sampling := []string{"--sampling", "full"}
	if thorough { // each price of samples takes a good part of a second
		sampling = []string{"--sampling-probability", "0.1"}
	}
	args := append([]string{"train", "--data", table, "--schema", schema, "--model", "mlp", "--hidden", "3", "--steps", "40", "--out", "m"}, sampling...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &stopper{at: "step 20 of 40", stop: func() { // as if the machine stopped here, and then by hand
		state, err := os.ReadFile("state")
		if err != nil {
			t.Error(err)
		}
		writeText(t, "killed", string(state))
		cancel()
	}}
	if status := run(ctx, append(args, "--checkpoint", "state", "--checkpoint-every", "7"), out, out); status != exitFailed || !strings.Contains(out.text.String(), "--resume state goes on from it") {
		t.Fatalf("got exit status %d, %s", status, out.text.String())
	}
	info, err := os.Stat("state")
	if err != nil || info.Mode().Perm() != 0o600 || display.Exists("m") {
		t.Fatalf("got mode %v, error %v and a model: %v, want a checkpoint of mode 0600 and no model", info.Mode(), err, display.Exists("m"))
	}
	if status, _, stderr := invoke(append(args, "--checkpoint", "state")...); status != exitUsage || !strings.Contains(stderr, "want a new file for checkpoints") {
		t.Errorf("a checkpoint in the way: got exit status %d, %s", status, stderr)
	}
	if status, _, stderr := invoke(append(args, "--resume", "state", "--epsilon", "2")...); status != exitUsage || !strings.Contains(stderr, "of another plan") {
		t.Errorf("another plan: got exit status %d, %s", status, stderr)
	}
	if status, _, stderr := invoke(append(args, "--resume", table)...); status != exitUsage || strings.Contains(stderr, secret) {
		t.Errorf("no checkpoint: got exit status %d, %s", status, stderr)
	}
	costs := map[string]float64{}
	for state, want := range map[string]string{"state": `"interrupted":[{"kept":20,"released":20}]`, "killed": `"interrupted":[{"kept":14,"released":21}]`} {
		stdout, _ := mustInvoke(t, append(args, "--resume", state, "--json", "--quiet", "--replace")...)
		var s training.Summary
		if err = json.Unmarshal([]byte(stdout), &s); err != nil {
			t.Fatal(err)
		}
		costs[state] = float64(s.Epsilon)
		mustInvoke(t, "verify", "m")
		text, readErr := os.ReadFile(filepath.Join("m", certificate.FileName))
		if readErr != nil {
			t.Fatal(readErr)
		}
		c, decodeErr := certificate.Decode(text)
		var plan bytes.Buffer
		if decodeErr != nil || json.Compact(&plan, c.Plan) != nil || !strings.Contains(plan.String(), want) {
			t.Errorf("got plan %s, error %v, want %s", plan.String(), decodeErr, want)
		}
	}
	if !(costs["state"] > 0.99 && costs["state"] < 1.01 && costs["killed"] > 1.05) {
		t.Errorf("got epsilon %v, want 1 where every step counts and more where 7 steps are lost", costs)
	}
}

// TestResumeIsInOneFile refuses what would let the steps of a run be forgotten: checkpoints in another file than the one
// that it goes on from, and two runs on one file.
func TestResumeIsInOneFile(t *testing.T) {
	schema, table := workplace(t, 300)
	args := []string{"train", "--data", table, "--schema", schema, "--model", "mlp", "--hidden", "3", "--sampling", "full", "--steps", "40", "--checkpoint-every", "7"}
	stop := func(at string, more ...string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := &stopper{at: at, stop: func() {
			if status, _, stderr := invoke(append(args, "--resume", "state", "--out", "rival", "--quiet")...); status != exitUsage || !strings.Contains(stderr, "in use") {
				t.Errorf("two runs on one checkpoint: got status %d and %q, want a refusal", status, stderr)
			}
			cancel()
		}}
		if status := run(ctx, append(args, more...), out, out); status != exitFailed || !strings.Contains(out.text.String(), "budget spent") {
			t.Fatalf("got exit status %d, %s", status, out.text.String())
		}
	}
	stop("step 8 of 40", "--checkpoint", "state")
	if status, _, stderr := invoke(append(args, "--resume", "state", "--checkpoint", "other")...); status != exitUsage || !strings.Contains(stderr, "want one file") || display.Exists("other") {
		t.Errorf("got status %d and %q, want a refusal of another file", status, stderr)
	}
	if err := os.Symlink("state", "link"); err != nil {
		t.Skip("this system has no links: ", err)
	}
	stop("step 20 of 40", "--resume", "link", "--checkpoint", "./state")
	stdout, _ := mustInvoke(t, append(args, "--resume", "state", "--quiet", "--json", "--out", "m")...)
	text, err := os.ReadFile(filepath.Join("m", certificate.FileName))
	c, decodeErr := certificate.Decode(text)
	var plan bytes.Buffer
	if want := `"interrupted":[{"kept":8,"released":8},{"kept":12,"released":12}]`; err != nil || decodeErr != nil || json.Compact(&plan, c.Plan) != nil || !strings.Contains(plan.String(), want) {
		t.Errorf("got plan %s (%v), want %s; %s", plan.String(), decodeErr, want, stdout)
	}
	if status, _, stderr := invoke(append(args, "--checkpoint", filepath.Join("absent", "state"))...); status != exitUsage || !strings.Contains(stderr, "cannot be written") {
		t.Errorf("got status %d and %q, want a refusal", status, stderr)
	}
}

// TestNetworkFilesOfLayers trains with a file of layers on images, whose shape is in the table.
func TestNetworkFilesOfLayers(t *testing.T) {
	const records, side = 60, 6
	t.Chdir(t.TempDir())
	var images, labels []byte
	for i := range records {
		for p := range side * side {
			images = append(images, byte(i*p*7%256))
		}
		labels = append(labels, byte(i%2))
	}
	writeText(t, "x-idx3-ubyte", idxText(images, records, side, side))
	writeText(t, "y-idx1-ubyte", idxText(labels, records))
	writeText(t, "s.yaml", strings.Split(formatsSchema, "columns:")[0]+"columns:\n  \"pixel[0:36]\": {numeric: [0, 255]}\n")
	writeText(t, "layers.yaml", "# a small one\n- conv: {channels: 2, kernel: 3}\n- activation: relu\n- flatten\n- linear: {outputs: 1}\n")
	args := []string{"train", "--data", "x-idx3-ubyte", "--labels", "y-idx1-ubyte", "--schema", "s.yaml", "--sampling", "full", "--steps", "2", "--quiet"}
	mustInvoke(t, append(args, "--model", "layers.yaml", "--out", "m", "--clipping-groups", "per-layer")...)
	m, err := model.Load("m")
	if err != nil || m.Network().Input().String() != "6×6×1" || len(m.Network().Blocks()) != 2 {
		t.Fatalf("got %v, error %v, want a network over 6×6×1", m, err)
	}
	mustInvoke(t, "verify", "m")
	mustInvoke(t, append(args, "--model", "mlp", "--hidden", "3", "--input-shape", "6,6", "--out", "flat")...)
	text, err := os.ReadFile(filepath.Join("flat", model.FileName))
	if err != nil || !regexp.MustCompile(`"layers": \[\s+\{\s+"flatten"`).Match(text) {
		t.Errorf("got %s, error %v, want a layer that lays images flat", text, err)
	}
	for _, c := range []struct{ layers, want string }{
		{"- conv: {channels: 2, kernel: 3}\n- relu\n", "layers.yaml line 2: kind is \"relu\""},
		{"- conv: {channels: 2, kernel: 3}\n\n- linear: {output: 1}\n", "layers.yaml line 3: linear: "},
		{"- flatten\n- linear:\n    bias: false\n    outputs: two\n", "layers.yaml line 4: linear: outputs is \"two\", want an integer"},
		{"- flatten\n- residual:\n    - activation: tanh\n    - linear:\n        output: 36\n", "layers.yaml line 5: residual: layer 1: linear: output is not known, want key: value pairs of outputs, bias"},
		{"- conv: {channels: 2, kernel: 9}\n- linear: {outputs: 1}\n", "layers.yaml line 1: conv: "},
		{"- flatten\n- linear: {outputs: 3}\n", "layers.yaml line 2: the last layer gives 3 numbers, want 1, as many as the loss logistic has scores"},
		{"- flatten\n- batch-norm\n", "layers.yaml line 2: batch-norm is refused: it mixes"},
		{"linear: {outputs: 1}\n", "layers.yaml: it is not a list of layers"},
		{"- linear: {outputs: 1\n", "layers.yaml: "},
		{"", "layers.yaml: it is not a list of layers"},
	} {
		writeText(t, "layers.yaml", c.layers)
		status, _, stderr := invoke(append(args, "--model", "layers.yaml", "--dry-run")...)
		if status != exitUsage {
			t.Errorf("%q: got exit status %d, want %d", c.layers, status, exitUsage)
		}
		checkErrorLine(t, stderr, c.want)
	}
}

// TestNetworkOfTexts trains embeddings of words.
func TestNetworkOfTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	table := reviews(t, 200)
	mustInvoke(t, "schema", "init", table, "--target", "label", "--levels", "label=bad,good", "--numeric", "year=1990:2020", "--text", "review", "--max-records", "400", "--out", "s.yaml")
	text, err := os.ReadFile("s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "s.yaml", strings.Replace(string(text), "4096", "256", 1))
	mustInvoke(t, "train", "--data", table, "--schema", "s.yaml", "--out", "m", "--model", "text", "--embedding", "3", "--hidden", "5", "--sampling", "full", "--steps", "3", "--quiet")
	mustInvoke(t, "verify", "m")
	m, err := model.Load("m")
	if err != nil || len(m.Network().Blocks()) != 3 || m.Network().Blocks()[0].Bias || m.Network().Blocks()[0].Right != 3 {
		t.Fatalf("got %v, error %v, want embeddings of 3 numbers and 5 hidden units", m, err)
	}
	writeText(t, "new.csv", "year,review\n2000,a fine film\n2001,\n")
	if got, _ := mustInvoke(t, "predict", "m", "new.csv"); strings.Count(got, "\n") != 3 {
		t.Errorf("got predictions %q", got)
	}
}

// TestNetworkOfWordsInOrder trains a recurrent network and the preset on words at positions, and refuses other models.
func TestNetworkOfWordsInOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	table := reviews(t, 100)
	writeText(t, "s.yaml", "dither-schema: 1\nrow: one review\nmax-records: 400\ntarget: {column: label, levels: [bad, good]}\ncolumns:\n  year: ignore\n  review: {text: {positions: 8, buckets: 256}}\n")
	writeText(t, "layers.yaml", "- embedding: {vocabulary: 256, features: 3}\n- recurrent: {units: 4}\n- linear: {outputs: 1}\n")
	for model, blocks := range map[string]int{"layers.yaml": 3, "text": 2} {
		train := []string{"train", "--data", table, "--schema", "s.yaml", "--sampling", "full", "--steps", "3", "--quiet", "--replace", "--out", "m"}
		mustInvoke(t, append(train, "--model", model)...)
		mustInvoke(t, "verify", "m")
		m := loadNetwork(t, "m")
		if len(m.Blocks()) != blocks || !m.Blocks()[0].Sparse || m.Blocks()[0].Left != 256 {
			t.Errorf("%s: got blocks %+v, want %d of which the first is a table of 256 rows", model, m.Blocks(), blocks)
		}
		writeText(t, "new.csv", "year,review\n2000,a fine film\n2001,\n")
		if got, _ := mustInvoke(t, "predict", "m", "new.csv"); strings.Count(got, "\n") != 3 {
			t.Errorf("%s: got predictions %q", model, got)
		}
	}
	checkWrong(t, ".", []wrong{
		{"linear", []string{"train", "--data", table, "--schema", "s.yaml"}, exitUsage, "want a network that begins with an embedding"},
		{"mlp", []string{"train", "--data", table, "--schema", "s.yaml", "--model", "mlp"}, exitUsage, "want an embedding of at least as many; write vocabulary: 256"},
	})
}

// TestNetworksOfPersonsTrain trains on numbers, bags of words and words in order, where a record is a person, and
// verifies the models. The plan, the explanation and the page speak of persons.
func TestNetworksOfPersonsTrain(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("who,review,year,label\n")
	for i := range 200 {
		fmt.Fprintf(&b, "p%d,a %s film,%d,%s\n", i*i%61, []string{"dull", "fine"}[i%2], 1990+i%31, []string{"bad", "good"}[i%2])
	}
	writeText(t, "reviews.csv", b.String())
	head := "dither-schema: 1\nrow: one review\nmax-records: 400\ntarget: {column: label, levels: [bad, good]}\ndefaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  who: ignore\n"
	writeText(t, "numbers.yaml", head+"  year: {numeric: [1990, 2020]}\n  review: ignore\n")
	writeText(t, "bags.yaml", head+"  year: {numeric: [1990, 2020]}\n  review: {text: {buckets: 256}}\n")
	writeText(t, "orders.yaml", head+"  year: ignore\n  review: {text: {positions: 8, buckets: 256}}\n")
	for schema, model := range map[string]string{"numbers": "mlp", "bags": "text", "orders": "text"} {
		args := []string{"train", "--data", "reviews.csv", "--schema", schema + ".yaml", "--model", model, "--steps", "3", "--unit", "person:who", "--max-records-per-person", "4"}
		if schema == "numbers" || thorough {
			if dry, _ := mustInvoke(t, append(args, "--dry-run")...); !strings.Contains(dry, "number of persons") || !strings.Contains(dry, "take each person with probability") {
				t.Errorf("%s: the dry run speaks of rows:\n%s", schema, dry)
			}
		}
		mustInvoke(t, append(args, "--quiet", "--out", schema)...)
		mustInvoke(t, "verify", schema)
		if told, _ := mustInvoke(t, "explain", schema); !strings.Contains(told, "All rows of a person are one record.") {
			t.Errorf("%s: the explanation speaks of rows:\n%s", schema, told)
		}
	}
	checkWrong(t, ".", []wrong{
		{"fixed size", []string{"train", "--data", "reviews.csv", "--schema", "numbers.yaml", "--model", "mlp", "--unit", "person:who", "--max-records-per-person", "4", "--batch-size", "5", "--records", "200", "--neighboring", "replace-one"}, exitUsage, "the number of persons is not declared"},
		{"no such column", []string{"train", "--data", "reviews.csv", "--schema", "numbers.yaml", "--model", "mlp", "--unit", "person:whom", "--max-records-per-person", "4"}, exitUsage, "whom"},
		{"too many rows", []string{"train", "--data", "reviews.csv", "--schema", "numbers.yaml", "--model", "mlp", "--unit", "person:who", "--max-records-per-person", "2000000"}, exitUsage, "1 to 1048576 rows"},
	})
}

func loadNetwork(t *testing.T, folder string) *network.Network {
	t.Helper()
	m, err := model.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return m.Network()
}

// TestNetworkWrong holds wrong command lines to their errors.
func TestNetworkWrong(t *testing.T) {
	schema, table := workplace(t, 40)
	folder := filepath.Dir(schema)
	private := writeText(t, filepath.Join(folder, "private.yaml"), strings.Replace(binaryText, "numeric: [50, 220]", "bounds: private, range: [0, 300]", 1))
	network := func(more ...string) []string {
		return append([]string{"train", "--data", table, "--schema", schema, "--model", "mlp"}, more...)
	}
	checkWrong(t, folder, []wrong{
		{"flag of networks", []string{"train", "--data", table, "--schema", schema, "--hidden", "3"}, exitUsage, "--hidden is given with --model linear, want a network"},
		{"flag of linear models", network("--center", "yes"), exitUsage, "--center is given with a network"},
		{"holdout", network("--holdout", "private:0.2"), exitUsage, "--holdout is given with a network, want a public --test table, or records kept apart for dither evaluate --private, or --model linear"},
		{"stream", network("--stream"), exitUsage, "--stream is given with a network, want it left out and a table that memory holds, or --model linear"},
		{"method", network("--method", "newton"), exitUsage, "--method is given with a network"},
		{"no such file", []string{"train", "--data", table, "--schema", schema, "--model", "none.yaml"}, exitUsage, "--model is \"none.yaml\""},
		{"hidden", network("--hidden", "3,x"), exitUsage, "--hidden is \"3,x\""},
		{"activation", network("--activation", "step"), exitUsage, "function is \"step\""},
		{"input shape", network("--input-shape", "2x4"), exitUsage, "which makes 8 numbers, want 6"},
		{"cnn without images", []string{"train", "--data", table, "--schema", schema, "--model", "cnn"}, exitUsage, "--input-shape is missing"},
		{"text without texts", []string{"train", "--data", table, "--schema", schema, "--model", "text"}, exitUsage, "no text column"},
		{"clipping rule", network("--clipping-rule", "soft"), exitUsage, "clipping rule is \"soft\""},
		{"clipping groups", network("--clipping-groups", "1"), exitUsage, "groups hold 1 blocks, want all 2"},
		{"bands alone", network("--noise-bands", "3"), exitUsage, "without a kind"},
		{"correlated noise without parts", network("--correlated-noise", "banded"), exitUsage, "sampling is poisson"},
		{"unknown correlation", network("--correlated-noise", "bands", "--parts", "3"), exitUsage, "want one of [banded tree]"},
		{"sampling", network("--batch-size", "5", "--parts", "3"), exitUsage, "want one of them"},
		{"batches of fixed size", network("--batch-size", "10"), exitUsage, "replace-one"},
		{"average", network("--average", "some"), exitUsage, "--average is \"some\""},
		{"average of a network", []string{"train", "--data", table, "--schema", schema, "--average", "tail"}, exitUsage, "--average is \"tail\", want auto, yes or no"},
		{"private bounds", []string{"train", "--data", table, "--schema", private, "--model", "mlp"}, exitUsage, "private bounds or levels with a network"},
		{"no checkpoint to go on from", network("--resume", "none"), exitUsage, "there is no such file"},
		{"checkpoint nowhere", network("--checkpoint", filepath.Join("none", "state"), "--out", filepath.Join("none", "m")), exitUsage, "none"},
		{"times without a checkpoint", network("--checkpoint-every", "3"), exitUsage, "without --checkpoint FILE"},
		{"frozen from nowhere", []string{"train", "--data", table, "--schema", schema, "--frozen-from", "none"}, exitUsage, "--frozen-from none"},
	})
}

// TestCorrelatedNoiseByFlags prices plans of the flags that say how the noise of steps hangs together, and averages iterates by name.
func TestCorrelatedNoiseByFlags(t *testing.T) {
	schema, table := workplace(t, 900)
	for flags, want := range map[string]string{
		"--parts 6":                                   "repeat(4, partition(6, gaussian(",
		"--parts 6 --sampling-probability 0.5":        "repeat(4, partition(6, poisson(0.5, gaussian(",
		"--correlated-noise tree --parts 6":           "repeat(4, tree-aggregation(",
		"--correlated-noise banded --parts 6":         "6, 24, 1)",
		"--batch-size 90 --sampling-probability 0.05": "repeat(24, truncated-poisson(0.05, ",
		"--average tail":                              "average of the last 40 % of the iterates",
		"--average exponential":                       "moving average of the iterates",
		"--correlated-noise banded --parts 6 --sampling-probability 0.5 --noise-bands 4 --momentum 0": "6, 24, 0.5)",
	} {
		args := append([]string{"train", "--data", table, "--schema", schema, "--model", "mlp", "--hidden", "3", "--steps", "24", "--dry-run"}, strings.Fields(flags)...)
		if out, _ := mustInvoke(t, args...); !strings.Contains(out, want) || strings.Contains(flags, "banded") && !strings.Contains(out, "banded-matrix(") {
			t.Errorf("%s: got %s, want %s in it", flags, out, want)
		}
	}
	cyclic := []string{"--sampling", "cyclic", "--parts", "3", "--sampling-probability", "1", "--correlated-noise", "banded"}
	if thorough {
		cyclic = append(cyclic, "--sampling-probability", "0.4")
	}
	out, _ := trainNetwork(t, schema, table, "m", cyclic...)
	if verified, _ := mustInvoke(t, "verify", "m"); !strings.Contains(verified, "epsilon 1 and delta 1e-06") {
		t.Errorf("trained: %s; verified: %s", out, verified)
	}
}
