// Package mechanism states what a release is and what it costs: events, samplings, and the noise that a sum is
// released with. An event is noise, price and words as one value: package internal/release draws what it says,
// package account prices it, and ParseEvent reads back what String prints. Nothing here draws or releases.
package mechanism
