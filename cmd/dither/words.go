package main

import (
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/outcome"
)

// Short names of the words that package explain has for plans, certificates and terms.
var (
	metricName    = outcome.MetricName
	baseName      = outcome.BaseName
	guaranteeText = explain.Guarantee
	learnedWords  = explain.Learned
	columnWords   = explain.Names
	samplingWords = explain.Sampling
	weightWords   = explain.Weights
	numberWords   = explain.Numbers
	eventText     = explain.Brief
	widthWords    = explain.Width
	short         = explain.Short
)

// Short names of the summary of a sweep, which the page of a run shows.
type (
	sweepDocument = outcome.Document
	sweepRow      = outcome.Row
	sweepTarget   = outcome.Target
	sweepCost     = outcome.Cost
)

const (
	sweepJournal = outcome.JournalName
	sweepResults = outcome.ResultsName
	sweepSummary = outcome.SummaryName
	sweepJSON    = outcome.DocumentName
	sweepPage    = outcome.PageName
)
