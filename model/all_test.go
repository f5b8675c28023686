package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestPredictAll compares the blocks with what a reader predicts row by row, and wants NaN for rows that are dropped. A
// context that ended hands nothing out.
func TestPredictAll(t *testing.T) {
	m := toyModel(t, "no", "yes")
	var text strings.Builder
	text.WriteString("age,job,y\n")
	const rows = 3*blockRows + 17
	for i := range rows {
		job := "a"
		if i%7 == 3 {
			job = "" // dropped
		}
		fmt.Fprintf(&text, "%d,%s,no\n", i%100, job)
	}
	s := *m.Schema()
	s.MaxRecords = rows
	d, err := data.ReadFrom(context.Background(), &s, "t.csv", strings.NewReader(text.String()), data.ReadOptions{KeepDropped: true, MaxRecords: rows})
	if err != nil {
		t.Fatal(err)
	}
	k, reader := m.Outputs(), m.NewReader(d)
	next, want := 0, make([]float64, m.Outputs())
	err = m.PredictAll(context.Background(), d, func(first int, predictions []float64) error {
		if first != next {
			t.Fatalf("got a block from row %d, want row %d", first, next)
		}
		for i := 0; i < len(predictions); i += k {
			got := predictions[i : i+k]
			reader.PredictRows(want, next, 1)
			dropped := next%7 == 3
			if nan := math.IsNaN(got[0]); nan != dropped || !dropped && !slices.Equal(got, want) {
				t.Fatalf("row %d: got %v, want %v, dropped %v", next, got, want, dropped)
			}
			next++
		}
		return nil
	})
	if err != nil || next != rows {
		t.Errorf("got %d rows, %v, want %d", next, err, rows)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err = m.PredictAll(ctx, d, func(int, []float64) error { t.Error("a block was handed out"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
