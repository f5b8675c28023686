//go:build long

package pld

import "testing"

func TestReferenceOfManySteps(t *testing.T) { compareWithReference(t, true) }
