// Package mechanism states what a release is and what it costs: events, and the noise of
// a released sum. An event is noise, price and words as one value. Package internal/release draws
// what the event says, package account prices it, and ParseEvent reads what String prints. Nothing
// here draws or releases.
package mechanism
