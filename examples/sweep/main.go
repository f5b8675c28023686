// Command sweep measures how the quality of a model depends on epsilon. It trains several models
// for each of a few values of epsilon. All trainings share passes over the records.
//
//	go run ./examples/sweep
//
// The built-in data set is public. The last line of the output states what all runs together would
// cost if the records were private.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

const repeats = 5

var budgets = []float64{0.05, 0.2, 1, 5}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	ctx := context.Background()
	set, err := builtin.Open("randhie")
	if err != nil {
		return err
	}
	schema, err := set.Schema()
	if err != nil {
		return err
	}
	training, err := set.ReadTrain(ctx, schema, data.ReadOptions{})
	if err != nil {
		return err
	}
	test, err := set.ReadTest(ctx, schema, data.ReadOptions{})
	if err != nil {
		return err
	}
	examiner, err := sweep.NewEvaluator(test)
	if err != nil {
		return err
	}
	candidates, err := plans(schema)
	if err != nil {
		return err
	}
	study := sweep.Sweep{Candidates: candidates, Repeats: repeats, Training: training, Examiner: examiner}
	results, err := study.Run(ctx)
	if err != nil {
		return err
	}
	for _, s := range sweep.Summarize(candidates, results) {
		if s.Metric == "auc" {
			fmt.Fprintf(w, "%s: AUC %.3f, 95 %% interval of the mean %.3f to %.3f\n", s.Candidate.Words(), s.Mean, s.Low, s.High)
		}
	}
	cost, err := sweep.CostOf(candidates, func(*sweep.Candidate) int { return repeats })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "all %d runs together: epsilon %s at delta %g\n", cost.Runs, cost.Epsilon.Rounded(), cost.Delta)
	return nil
}

// plans returns one plan for each budget. No plan whitens rows.
func plans(schema *data.Schema) ([]sweep.Candidate, error) {
	var all []sweep.Candidate
	for _, epsilon := range budgets {
		setup, err := train.NewPlan(train.Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: train.No}, schema)
		if err != nil {
			return nil, err
		}
		c := sweep.Candidate{Settings: []sweep.Setting{{Name: "epsilon", Value: strconv.FormatFloat(epsilon, 'f', -1, 64)}},
			Linear: &setup, Options: train.Options{Momentum: 0.9}}
		if err = c.Certify(); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
