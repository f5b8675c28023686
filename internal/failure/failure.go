// Package failure distinguishes failures while running, such as a full disk, from errors about the
// request.
package failure

import "errors"

type running struct{ error }

func (r running) Unwrap() error { return r.error }

// Running returns an error that wraps err and for which IsRunning is true.
func Running(err error) error { return running{err} }

// IsRunning reports whether Running made an error or one that it wraps.
func IsRunning(err error) bool {
	var r running
	return errors.As(err, &r)
}
