package reference

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/model"
)

// dataDir returns the folder of measuring data, or skips the test.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DITHER_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "adult-book")); err != nil {
		t.Skip("the folder adult-book is absent: set DITHER_DATA to the measuring data")
	}
	return filepath.Join(dir, "adult-book")
}

// readNPY reads a little-endian float64 array in C order, plain or gzip.
func readNPY(t *testing.T, path string) []float64 {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	raw = raw[10+int(binary.LittleEndian.Uint16(raw[8:])):]
	out := make([]float64, len(raw)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return out
}

// book is the processed Adult matrix of the chapter "Machine Learning" of Near & Abuah,
// Programming Differential Privacy (https://programming-dp.com), with the numbers that it
// prints.
type book struct {
	Features, TrainRows int
	TrainLoss           []float64 `json:"train_loss_after_step"`
	TestLoss            []float64 `json:"test_loss_after_step"`
	TenSteps            float64   `json:"test_accuracy_after_10_steps"`
	OneStep             float64   `json:"test_accuracy_after_one_single_example_step_on_row_0"`
	ZeroLoss            float64   `json:"zero_theta_loss"`
	Rows                int       `json:"train_rows"`
	x, test             Matrix
	y, testY            []float64
}

func loadBook(t *testing.T) book {
	t.Helper()
	dir := dataDir(t)
	var b book
	text, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	labels := readNPY(t, filepath.Join(dir, "adult_processed_y.npy"))
	for i, v := range labels {
		labels[i] = (v + 1) / 2
	}
	x := Matrix{len(labels), 104, readNPY(t, filepath.Join(dir, "adult_processed_x.npy.gz"))}
	b.x, b.test = x.Slice(0, b.Rows), x.Slice(b.Rows, len(labels))
	b.y, b.testY = labels[:b.Rows], labels[b.Rows:]
	return b
}

// TestBookLosses reproduces the ten losses and both accuracies of the chapter.
func TestBookLosses(t *testing.T) {
	b := loadBook(t)
	theta := make([]float64, 104)
	if got := MeanLoss(model.Logistic, b.x, b.y, theta); math.Abs(got-b.ZeroLoss) > 1e-12 {
		t.Errorf("loss of zero weights: got %v, want %v", got, b.ZeroLoss)
	}
	for step := range 10 {
		DescentStep(model.Logistic, b.x, b.y, theta, 1)
		if step >= len(b.TrainLoss) {
			continue
		}
		if got := MeanLoss(model.Logistic, b.x, b.y, theta); math.Abs(got-b.TrainLoss[step]) > 1e-12 {
			t.Errorf("training loss after step %d: got %v, want %v", step+1, got, b.TrainLoss[step])
		}
		if got := MeanLoss(model.Logistic, b.test, b.testY, theta); math.Abs(got-b.TestLoss[step]) > 1e-12 {
			t.Errorf("test loss after step %d: got %v, want %v", step+1, got, b.TestLoss[step])
		}
	}
	if got := Accuracy(b.test, b.testY, theta); got != b.TenSteps {
		t.Errorf("accuracy after 10 steps: got %v, want %v", got, b.TenSteps)
	}
	clear(theta)
	DescentStep(model.Logistic, b.x.Slice(0, 1), b.y[:1], theta, 1)
	if got := Accuracy(b.test, b.testY, theta); got != b.OneStep {
		t.Errorf("accuracy after one step on one record: got %v, want %v", got, b.OneStep)
	}
}

func TestClipNorm(t *testing.T) {
	for _, c := range []struct {
		name  string
		v     []float64
		bound float64
		want  []float64
	}{
		{"inside", []float64{3, 4}, 5, []float64{3, 4}},
		{"outside", []float64{3, 4}, 1, []float64{0.6, 0.8}},
		{"NaN", []float64{math.NaN(), 4}, 1, []float64{0, 0}},
		{"Inf", []float64{math.Inf(1), 4}, 1, []float64{0, 0}},
		{"zero", []float64{0, 0}, 1, []float64{0, 0}},
		{"overflow of the square", []float64{1e200, 0}, 1, []float64{1, 0}},
	} {
		got := ClipNorm(c.v, c.bound)
		for j := range got {
			if math.Abs(got[j]-c.want[j]) > 1e-15 {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
			}
		}
	}
}
