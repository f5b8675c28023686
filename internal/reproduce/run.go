package reproduce

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/sweep"
)

// Missing returns the folders of data sets that an experiment needs and a laboratory has not.
func Missing(r sweep.Reproduction, l sweep.Environment) []string {
	var missing []string
	for _, name := range r.Data {
		if l.Data == "" || !public.Here(l.Data, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// Run runs experiments one after the other and hands each result to done as soon as it is there.
// One whose data sets are missing is handed over as such. An experiment that fails does not stop
// the others, a canceled context or an error of done does. The errors are joined.
func Run(ctx context.Context, chosen []sweep.Reproduction, l sweep.Environment, done func(sweep.Result) error) error {
	var failures []error
	for _, r := range chosen {
		result := sweep.Result{Reproduction: r, Missing: Missing(r, l)}
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
