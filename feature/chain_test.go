package feature

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/ditherml/dither/data"
)

// pixels is a schema of so many grey pixels.
func pixels(t *testing.T, n int) *data.Schema {
	t.Helper()
	s, err := (&data.Schema{Name: "image", Row: "one image", MaxRecords: 10,
		Columns: []data.Column{{Name: "p", Kind: data.Numeric, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: n}},
		Target:  data.Target{Column: "y", Levels: []string{"no", "yes"}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func imageChain(t *testing.T, n int, texts ...string) *Pipeline {
	t.Helper()
	var specs []Spec
	for _, text := range texts {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s)
	}
	c, err := NewPipeline(nil, pixels(t, n), specs...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rowsOfPixels are images from nothing at all to the largest numbers.
func rowsOfPixels(n int) [][]float32 {
	rows := [][]float32{make([]float32, n), slices.Repeat([]float32{255}, n), slices.Repeat([]float32{nan}, n)}
	for seed := range uint64(3) {
		row := make([]float32, n)
		for i, v := range randomImage(n, seed) {
			row[i] = float32(255 * v)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestChainIsItsParts applies the parts of chains one after the other.
func TestChainIsItsParts(t *testing.T) {
	for _, texts := range [][]string{
		nil,
		{"deskew:shape=12x16"},
		{"deskew:shape=12x16", "groupnorm:groups=3"},
		{"standardize:mean=0.1307,deviation=0.3081", "scattering:shape=12x16", "standardize:mean=0.5"},
		{"deskew:shape=12x16", "scattering:shape=12x16", "groupnorm:groups=27"},
		{"scattering:shape=8x8x3", "groupnorm:groups=81", "deskew:shape=243x4", "groupnorm:groups=2"},
	} {
		c := imageChain(t, 192, texts...)
		scratch, got := c.NewScratch(), make([]float64, c.Dim())
		for i, row := range rowsOfPixels(192) {
			c.features(got, row, scratch)
			want, bound := make([]float64, 192), 1.0
			c.Encoder().Encode(want, row)
			for _, transform := range c.transforms {
				next := make([]float64, transform.Out())
				transform.Apply(next, want, transform.NewScratch())
				want, bound = next, transform.Bound(bound)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: row %d differs from that of its parts", texts, i)
			}
			if stated, _ := c.Bound(); stated != bound || largestMagnitude(got) > bound*(1+1e-12) {
				t.Errorf("%v: bound %v, the largest of row %d %v, want at most %v", texts, stated, i, largestMagnitude(got), bound)
			}
		}
		if names := c.Names(); len(names) != c.Dim() {
			t.Errorf("%v: %d names, want %d", texts, len(names), c.Dim())
		}
	}
}

func largestMagnitude(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// TestChainForgetsOtherRows: a row has the same bits after any other row, in any order, with new working
// space or used one.
func TestChainForgetsOtherRows(t *testing.T) {
	c := imageChain(t, 192, "deskew:shape=16x12", "scattering:shape=16x12", "groupnorm:groups=27")
	rows := rowsOfPixels(192)
	want := make([][]float64, len(rows))
	for i, row := range rows {
		want[i] = make([]float64, c.Dim())
		c.features(want[i], row, c.NewScratch())
	}
	if slices.Equal(want[3], want[4]) {
		t.Fatal("two random images have the same features")
	}
	used, got := c.NewScratch(), make([]float64, c.Dim())
	for first := range rows {
		for second := range rows {
			c.features(got, rows[first], used)
			c.features(got, rows[second], used)
			if !slices.Equal(got, want[second]) {
				t.Fatalf("row %d after row %d has other features", second, first)
			}
		}
	}
}

// TestChainConcurrently has several goroutines map rows at the same time, each with its own working space.
func TestChainConcurrently(t *testing.T) {
	c := imageChain(t, 192, "deskew:shape=16x12", "scattering:shape=16x12", "groupnorm:groups=27")
	rows := rowsOfPixels(192)
	want := make([][]float64, len(rows))
	for i, row := range rows {
		want[i] = make([]float64, c.Dim())
		c.features(want[i], row, c.NewScratch())
	}
	var running sync.WaitGroup
	for first := range 4 {
		running.Go(func() {
			scratch, got := c.NewScratch(), make([]float64, c.Dim())
			for i := range 5 * len(rows) {
				at := (first + i) % len(rows)
				if c.features(got, rows[at], scratch); !slices.Equal(got, want[at]) {
					t.Errorf("row %d has other features beside other goroutines", at)
					return
				}
			}
		})
	}
	running.Wait()
}
