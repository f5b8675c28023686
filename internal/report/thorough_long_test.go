//go:build long

package report

// payloadStep says that TestHostileNames and TestDocumentNames put every payload into every string of a page.
const payloadStep = 1
