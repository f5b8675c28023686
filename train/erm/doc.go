// Package erm finds private minimizers of a sum of losses by methods other than gradient descent
// with noise in every step. Each method is one file, one line in the table of methods, and one
// section of the plan.
//
// The package has the shape of package train. NewSetup turns a request into a plan, from public
// numbers alone. The plan's event is reserved before a record is read; Fit pays and releases. The
// result has the form of train's: a feature map with weights. Models are therefore saved, served
// and measured in one way. A method refuses losses, relations and bounds that its theorem does not
// cover.
//
// Methods do not release their own results. Package internal/release releases a sealed value with
// the noise that its event states. If the guarantee depends on an exact minimizer, internal/release
// finds it (see release.Problem).
package erm
