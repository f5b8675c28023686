package data_test

import (
	"fmt"

	"github.com/ditherml/dither/data"
)

// The words of a text are hashed into buckets; case and what is no letter or digit do not matter, and
// function words are left out. "good", "film" and "good film" make three entries, whose squares sum to 1.
func ExampleColumn_TextCell() {
	h := data.DefaultHashing()
	h.NGrams = 2
	h.Buckets = 1024
	c := data.Column{Name: "review", Kind: data.Text, Hashing: &h, Missing: data.Zero}
	for _, text := range []string{"A good film!", "the GOOD film", "film: good", " "} {
		buckets, values, missing, ok := c.TextCell(text, nil)
		fmt.Printf("%v %.3f %v %v\n", buckets, values, missing, ok)
	}
	// Output:
	// [406 562 991] [0.577 0.577 -0.577] false true
	// [406 562 991] [0.577 0.577 -0.577] false true
	// [562 945 991] [0.577 0.577 -0.577] false true
	// [] [] true true
}
