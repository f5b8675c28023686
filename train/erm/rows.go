package erm

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
)

// eachRow calls the function do for every record, with the row under the feature map and the label.
// Records are divided among the processors. The function part makes the state of one processor, and
// end receives each state, one after the other.
func eachRow[T any](ctx context.Context, f *fitting, part func() T, do func(of T, record int, x []float64, label float64) error, end func(of T) error) error {
	n := f.rows.Len()
	var lock sync.Mutex
	var failed error
	workers := min(runtime.GOMAXPROCS(0), max(1, n))
	parallel.Each(workers, func(k int) {
		of, x, narrow := part(), make([]float64, f.Plan.Dim), make([]int16, f.Plan.Dim)
		from, to := n*k/workers, n*(k+1)/workers
		err := f.rows.Each(f.rows.First()+from, to-from, func(b release.Block) error {
			for i, label := range b.Labels() {
				clear(x)
				b.AddTo(x, i, []float64{1}, narrow)
				if err := do(of, b.Record(i), x, float64(label)); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			err = end(of)
		}
		failed = errors.Join(failed, err)
	})
	return joined(failed)
}

// joined returns the errors of goroutines as one error. If a check failed in any of them, the
// result is release.ErrComputation itself. So the error does not tell how many goroutines found the
// failure.
func joined(failed ...error) error {
	err := errors.Join(failed...)
	if errors.Is(err, release.ErrComputation) {
		return release.ErrComputation
	}
	return err
}
