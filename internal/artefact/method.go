package artefact

import (
	"slices"

	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// IsOther reports whether a method is one of package erm, whose plans are erm.Plan.
func IsOther(method string) bool { return slices.Contains(erm.Names(), method) }

// IsNetwork reports whether a method is one of package neural, whose plans are neural.Plan.
func IsNetwork(method string) bool {
	_, ok := neural.Methods()[method]
	return ok
}
