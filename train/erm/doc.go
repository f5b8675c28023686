// Package erm finds private minimizers of a sum of losses by methods other than noisy gradient
// descent. Each method has one file, one line in the table of methods, and one section of the plan.
//
// The package resembles package train. NewSetup turns a request into a plan, from public numbers
// alone. The plan's event is reserved before a record is read; Fit pays and releases. The result is
// a train.Result: a feature map with weights. So models of both packages are saved, served and
// measured in the same way. A method is an error for losses, relations and bounds that its theorem
// does not cover.
//
// Methods do not release their own results. Package internal/release releases a sealed value with
// the noise of its event. If the guarantee depends on an exact minimizer, internal/release finds it
// (see release.Problem).
package erm
