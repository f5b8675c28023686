package main

import (
	"slices"

	"github.com/ditherml/dither/deep"
	"github.com/ditherml/dither/erm"
)

// isOther reports whether a method is one of package erm, whose plans are erm.Plan.
func isOther(method string) bool { return slices.Contains(erm.Names(), method) }

// isNetwork reports whether a method is one of package deep, whose plans are deep.Plan.
func isNetwork(method string) bool {
	_, ok := deep.Methods()[method]
	return ok
}
