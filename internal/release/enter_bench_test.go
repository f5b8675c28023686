package release

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkEnter makes rows of each type and opens them as a file, with one pass in their own frame.
func BenchmarkEnter(b *testing.B) {
	for _, dim := range []int{16, 784} {
		n := 1 << 22 / dim
		for _, kind := range rowTypes {
			made := func() *Rows {
				rows, err := NewRows(n, RowsOptions{Dim: dim, Step: 1 / float64(kind.Largest()), Type: kind}, func(dst []float64, first, _ int) {
					for j := range dst {
						dst[j] = float64((first+j)%11) / 11
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				return rows
			}
			b.Run(fmt.Sprintf("%v-%d/memory", kind, dim), func(b *testing.B) {
				for b.Loop() {
					made()
				}
			})
			text := inFile(b, made())
			b.Run(fmt.Sprintf("%v-%d/file", kind, dim), func(b *testing.B) {
				for b.Loop() {
					rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
					if err == nil {
						err = rows.Each(0, n, func(Block) error { return nil })
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
