package ranks

import (
	"context"
	"time"
)

// settings are what Connect is asked.
type settings struct {
	silence time.Duration // after which a rank is lost
	grace   time.Duration // after which MPI ends the processes of a run that has ended
	until   context.Context
	piece   int // the length of the longest piece of a message
}

// Option changes what Connect does.
type Option func(*settings)

// Silence returns the option that a rank is lost when nothing was heard of it for this time. Without it 30 seconds
// are.
func Silence(limit time.Duration) Option { return func(s *settings) { s.silence = limit } }

// Grace returns the option that processes which have not ended by themselves are ended by MPI so long after the run
// ended. Without it 10 seconds are.
func Grace(limit time.Duration) Option { return func(s *settings) { s.grace = limit } }

// Until returns the option that Connect returns an error when the context ends before all ranks have begun.
func Until(ctx context.Context) Option { return func(s *settings) { s.until = ctx } }
