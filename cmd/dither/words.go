package main

import (
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/wording"
)

// Short names of the words that package explain has for plans, certificates and terms.
var (
	metricName    = outcome.MetricName
	baseName      = outcome.BaseName
	guaranteeText = wording.Guarantee
	learnedWords  = wording.Learned
	columnWords   = wording.Names
	samplingWords = wording.Sampling
	weightWords   = wording.Weights
	numberWords   = wording.Numbers
	eventText     = wording.Brief
	widthWords    = wording.Width
	short         = glossary.Short
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
