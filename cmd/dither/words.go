package main

import (
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/wording"
)

// Short names of the words for plans, certificates and terms.
var (
	guaranteeText = wording.Guarantee
	learnedWords  = wording.Learned
	columnWords   = wording.Names
	samplingWords = wording.Sampling
	weightWords   = wording.Weights
	numberWords   = wording.Numbers
	eventText     = wording.Brief
	short         = glossary.Short
)
