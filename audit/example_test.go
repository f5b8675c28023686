package audit_test

import (
	"fmt"

	"github.com/ditherml/dither/audit"
)

// 600 of 1,000 canaries were guessed, and all guesses were right.
func ExampleGuesses_Epsilon() {
	epsilon, err := audit.Guesses{Canaries: 1000, Made: 600, Right: 600}.Epsilon(1e-5, 0.95)
	fmt.Printf("%.4f %v\n", epsilon, err)
	// Output: 5.2704 <nil>
}

// The scores of all included canaries exceed those of the others.
func ExampleScores_Bounds() {
	var s audit.Scores
	for i := range 200 {
		s.LeftOut = append(s.LeftOut, float64(i))
		s.Included = append(s.Included, float64(i+1000))
	}
	bounds, err := s.Bounds(audit.Claim{Epsilon: 2, Delta: 1e-5}, audit.Design{Coins: true}, 0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range bounds {
		if b.Counts {
			fmt.Printf("%s: epsilon is at least %.2f, refuted: %v, %s\n", b.Name, b.Epsilon, b.Refuted, b.Found)
		}
	}
	// Output: one-run: epsilon is at least 4.21, refuted: true, 320 of 320 guesses are right
}
