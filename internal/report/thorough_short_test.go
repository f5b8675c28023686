//go:build !long

package report

// payloadStep says that each string of a page gets one payload in seven, and others than its neighbors.
const payloadStep = 7
