package report_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/ditherml/dither/internal/report"
)

func ExamplePage_WriteText() {
	page := report.Page{
		Title:     "A baseline model of any-visit",
		Guarantee: report.Guarantee{Epsilon: math.Inf(1), Neighboring: "add-or-remove-one", Unit: "one row"},
	}
	if err := page.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// *** NOT PRIVATE: epsilon is infinite ***
	//
	// A baseline model of any-visit
	//
	// This model hides nothing: it may reveal any record.
	//
	// The guarantee
	//   ε (epsilon)  ∞  (no guarantee)
	//   record       one row  (what one record stands for)
	//
	//   There is no guarantee. ε is infinite: nothing was done to hide the records,
	//   and the model may reveal any record that it was trained on.
	//
	//   Keep this model as you keep the records themselves. It serves as a baseline
	//   to compare a private model with.
}

func ExamplePage_WriteHTML() {
	page := report.Page{
		Title:        "A private model of any-visit",
		Guarantee:    report.Guarantee{Epsilon: 1, Delta: 1e-6, Neighboring: "add-or-remove-one", Unit: "one row"},
		Coefficients: []report.Coefficient{{Feature: "<b>age</b>", Value: 0.5}},
	}
	var file bytes.Buffer
	if err := page.WriteHTML(&file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("tags of its own:", strings.Count(file.String(), "<b>"))
	// Output: tags of its own: 0
}
