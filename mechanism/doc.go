// Package mechanism defines events. An event describes a release and determines its privacy cost.
// Package internal/release draws the noise of an event, and package account computes its cost.
// ParseEvent reads the text of Event.String. This package draws and releases nothing.
package mechanism
