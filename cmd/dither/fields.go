package main

import "strings"

// fieldFlags are words of libraries' errors, each followed by the command's words: the flags that
// set the named fields.
var fieldFlags = []string{
	"Source.Columns", "--columns", "Source.Labels", "--labels", "Source.NoQuotes", "--quote none", "Draft.Target", "--target",
	"Budget.Epsilon", "--epsilon", "Plan.Edges", "--edges", "Plan.Where", "--where",
	"(an infinite Request.Epsilon)", "(--non-private)", "Request.SumRidge", "--sum-ridge",
	"neither centered nor whitened", "neither centered nor whitened (--center no --whiten no)",
}

// fields replaces fields in errors of libraries by flags.
var fields = strings.NewReplacer(fieldFlags...)
