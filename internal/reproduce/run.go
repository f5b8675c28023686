package reproduce

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/public"
)

// Missing returns the folders of data sets that an experiment needs and an environment lacks.
func Missing(r experiment.Reproduction, l experiment.Environment) []string {
	var missing []string
	for _, name := range r.Data {
		if l.Data == "" || !public.Here(l.Data, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// Run runs experiments one after the other and passes each result to done at once. An experiment
// without its data sets is passed as missing. A failed experiment does not stop the others; a
// canceled context or an error of done does. The errors are joined.
func Run(ctx context.Context, chosen []experiment.Reproduction, l experiment.Environment, done func(experiment.Result) error) error {
	var failures []error
	for _, r := range chosen {
		result := experiment.Result{Reproduction: r, Missing: Missing(r, l)}
		if result.Missing == nil {
			began, err := time.Now(), error(nil)
			if result.Outcome, err = r.Run(ctx, l); err != nil {
				failures = append(failures, fmt.Errorf("reproduce: %s: %w", r.Name, err))
				if ctx.Err() != nil {
					break
				}
				continue
			}
			result.Seconds = time.Since(began).Seconds()
		}
		if err := done(result); err != nil {
			failures = append(failures, err)
			break
		}
	}
	return errors.Join(failures...)
}

// Disagreements returns words on each figure that differs from its golden value.
func Disagreements(results []experiment.Result) []string {
	var wrong []string
	for _, r := range results {
		for _, d := range r.Disagreements() {
			wrong = append(wrong, fmt.Sprintf("%s: %s is %v, want %v within %v", r.Name, d.Quantity, d.Value, d.Golden.Value, d.Golden.Tolerance))
		}
	}
	return wrong
}
