package main

import "strings"

// fields replaces fields that errors of libraries name by the flags that set them.
var fields = strings.NewReplacer(
	"Source.Columns", "--columns", "Source.Labels", "--labels", "Source.NoQuotes", "--quote none", "Draft.Target", "--target",
	"Budget.Epsilon", "--epsilon", "Plan.Edges", "--edges", "Plan.Where", "--where",
	"(an infinite Request.Epsilon)", "(--non-private)", "Request.SumRidge", "--sum-ridge",
	"neither centered nor whitened", "neither centered nor whitened (--center no --whiten no)",
)
