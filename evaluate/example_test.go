package evaluate_test

import (
	"fmt"

	"github.com/ditherml/dither/evaluate"
)

func ExampleClassify() {
	labels := []int{0, 0, 1, 1}                 // indices of the levels
	probabilities := []float64{.1, .4, .35, .8} // of the level "yes"
	c, err := evaluate.Classify([]string{"no", "yes"}, labels, probabilities, 0.5, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("accuracy %.2f, area under the curve %.2f, log-loss %.3f\n", c.Accuracy, c.AUC, c.LogLoss)
	// Output: accuracy 0.75, area under the curve 0.75, log-loss 0.472
}

func ExampleRegress() {
	r, err := evaluate.Regress([]float64{1, 2, 3}, []float64{1, 2, 4}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("RMSE %.3f, MAE %.3f, R² %.2f\n", r.RMSE, r.MAE, r.R2)
	// Output: RMSE 0.577, MAE 0.333, R² 0.50
}
