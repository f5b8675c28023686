package neural

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
)

// orderedData are texts of which only the order of two words tells the class.
func orderedData(t *testing.T, records int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one text\nrecords: 400\nmax-records: 400\ntarget: {column: y, levels: [\"0\", \"1\"]}\ncolumns:\n  words: {text: {positions: 6, buckets: 256}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, table := rand.New(rand.NewPCG(5, 9)), "words,y\n"
	for i := range records {
		words := []string{"north south", "south north"}[i%2]
		table += fmt.Sprintf("%s%s%s,%d\n", strings.Repeat("wind ", r.IntN(3)), words, strings.Repeat(" rain", r.IntN(3)), i%2)
	}
	d, err := data.ReadFrom(context.Background(), s, "t.csv", strings.NewReader(table), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestTokensKeepTheirNumbers puts rows of tokens on the grid and wants every token back.
func TestTokensKeepTheirNumbers(t *testing.T) {
	s, d := orderedData(t, 50)
	setup := setupOf(t, Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: ask().Neighboring, Layers: network.Layers{network.Embedding{Vocabulary: 256, Features: 2}, network.Recurrent{Units: 1}}}, s)
	rows, err := train.Encode(setup.Features, s, d, 8)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float32]bool{}
	w := newWorker(&run{Setup: setup, rows: rows, levels: setup.Plan.Clipping.levels()})
	if w.block, err = rows.Load(0, rows.Len(), w.block); err != nil {
		t.Fatal(err)
	}
	dst := make([]float32, 6)
	for i := range rows.Len() {
		w.load(dst, i)
		for j, v := range d.Row(nil, i) {
			if dst[j] != v-1 {
				t.Fatalf("row %d is %v, want %v less 1", i, dst, d.Row(nil, i))
			}
			seen[v] = true
		}
	}
	if len(seen) < 4 {
		t.Errorf("there are %d tokens, want at least 3 and padding", len(seen))
	}
}

// TestOrderOfWordsIsLearned trains networks that see the order of words, and one that does not, without noise. Of 60 runs of each,
// from weights of their own, the former had all 400 right and the latter 204, so that one learns less with a probability of
// less than 0.07 (with confidence 0.98), and six do of less than 1e-6.
func TestOrderOfWordsIsLearned(t *testing.T) {
	if !thorough {
		t.Skip("thousands of texts: run with -tags long")
	}
	embedding, out := network.Embedding{Vocabulary: 256, Features: 8}, network.Linear{Outputs: 1}
	for name, c := range map[string]struct {
		layers network.Layers
		learns bool
	}{
		"recurrent": {network.Layers{embedding, network.Recurrent{Units: 8}, out}, true},
		"attention": {network.Layers{embedding, network.PositionEmbedding{}, network.Residual{Layers: network.Layers{network.Attention{Causal: true}}}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 8}, network.Activation{Function: "tanh"}, network.GlobalAveragePool{}, out}, true},
		"bag":       {network.Layers{network.EmbeddingBag{Vocabulary: 256, Features: 8}, out}, false},
	} {
		right, tries := rightOf400(t, c.layers), 1
		for ; c.learns && right <= 380 && tries < 6; tries++ {
			right = rightOf400(t, c.layers)
		}
		if learned := right > 380; learned != c.learns {
			t.Errorf("%s has %d of 400 right in the last of %d runs, want more than 380: %v", name, right, tries, c.learns)
		}
	}
}

// rightOf400 trains on 400 records without noise and returns how many of them the network is right about.
func rightOf400(t *testing.T, layers network.Layers) (right int) {
	t.Helper()
	s, d := orderedData(t, 400)
	r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: ask().Neighboring, Sampling: Sampling{Kind: option.SamplingFull}, Steps: 200, Layers: layers}
	result, err := Fit(context.Background(), budget(t, r), setupOf(t, r, s), d, Options{Optimizer: "adam", LearningRate: 0.03, Average: option.AverageNone})
	if err != nil {
		t.Fatal(err)
	}
	reader, p := result.Model.NewReader(d), make([]float64, 1)
	for i := range d.Records() {
		if reader.Predict(p, i); (p[0] > 0.5) == (d.Target()[i] == 1) {
			right++
		}
	}
	return right
}

// TestTokensAreChecked wants errors where features and first layer do not fit.
func TestTokensAreChecked(t *testing.T) {
	tokens, _ := orderedData(t, 2)
	numbers := ringSchema(t, 0)
	out := network.Linear{Outputs: 1}
	for _, c := range []struct {
		schema *data.Schema
		layers network.Layers
		norm   string
		want   string
	}{
		{numbers, network.Layers{network.EmbeddingBag{Vocabulary: 4, Features: 2}, out}, "", "the features are no tokens"},
		{tokens, network.Layers{out}, "", "want an embedding of at least as many; write vocabulary: 256"},
		{tokens, network.Layers{network.Frozen{Layers: network.Layers{network.EmbeddingBag{Vocabulary: 255, Features: 2}}}, out}, "", "begins with a vocabulary of 255"},
		{tokens, network.Layers{network.EmbeddingBag{Vocabulary: 256, Features: 2}, out}, "unit", "normalized by unit"},
	} {
		r := ask()
		r.Layers = c.layers
		if c.norm != "" {
			r.Normalization = "unit"
		}
		if _, err := NewSetup(r, c.schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
	if _, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: ask().Neighboring}, tokens); err == nil || !strings.Contains(err.Error(), "want a network that begins with an embedding") {
		t.Errorf("a linear model: got error %v", err)
	}
}
