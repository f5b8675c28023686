package query

import (
	"errors"

	"github.com/ditherml/dither/mechanism"
)

// free pays for everything and counts.
type free struct{ paid int }

func (f *free) Pay(mechanism.Event) error { f.paid++; return nil }

// broke pays for nothing.
type broke struct{}

func (broke) Pay(mechanism.Event) error { return errors.New("no money") }
