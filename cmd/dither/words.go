package main

import "github.com/ditherml/dither/explain"

// Short names of the words that package explain has for plans, certificates and terms.
var (
	guaranteeText = explain.Guarantee
	learnedWords  = explain.Learned
	columnWords   = explain.Names
	samplingWords = explain.Sampling
	relationWords = explain.Relation
	weightWords   = explain.Weights
	numberWords   = explain.Numbers
	eventText     = explain.Brief
	widthWords    = explain.Width
	short         = explain.Short
)
