package main

import (
	"slices"

	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// isOther reports whether a method is one of package erm, whose plans are erm.Plan.
func isOther(method string) bool { return slices.Contains(erm.Names(), method) }

// isNetwork reports whether a method is one of package neural, whose plans are neural.Plan.
func isNetwork(method string) bool {
	_, ok := neural.Methods()[method]
	return ok
}
