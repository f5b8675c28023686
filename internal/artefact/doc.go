// Package artefact makes the folders that hold what was released, and verifies them: a model with
// its certificate and its page, an evaluation, or an answer. The command and the front door share
// it, so that both write the same files.
package artefact

// ReportName is the name of the page inside a folder.
const ReportName = "report.html"
