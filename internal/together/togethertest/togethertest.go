// Package togethertest runs what several ranks do together in one process, for tests.
package togethertest

import (
	"context"
	"sync"

	"github.com/ditherml/dither/internal/ranks"
	"github.com/ditherml/dither/internal/together"
)

// Run calls a function on each rank of a run, after the ranks have agreed on a plan. It returns the
// error of each.
func Run(size int, plan string, do func(ctx context.Context, rank int) error) []error {
	errs := make([]error, size)
	var all sync.WaitGroup
	for rank, transport := range ranks.Local(size) {
		all.Go(func() {
			run, err := together.Begin(context.Background(), transport, nil, 0)
			if err == nil {
				err = run.Agree([]byte(plan))
			}
			if err == nil {
				err = do(together.With(context.Background(), run), rank)
			}
			errs[rank] = together.Ended(transport, err)
		})
	}
	all.Wait()
	return errs
}
