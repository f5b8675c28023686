//go:build !linux

package train

import (
	"errors"
	"os"
	"time"
)

func processorTime() time.Duration { return 0 }

func forget(*os.File) error { return errors.ErrUnsupported }
