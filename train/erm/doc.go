// Package erm finds private minimizers of a sum of losses by methods other than noisy gradient
// descent. The field calls this private empirical risk minimization. Each method has one file, one
// line in the table of methods, and one section of the plan.
//
// The package resembles package train. NewSetup turns a request into a plan, from public numbers
// alone. Fit reserves the event of the plan, and then pays for and makes the releases. The result
// is a train.Result, so models of both packages are saved, served and measured in the same way. A
// method returns an error for losses, relations and bounds that its theorem does not cover.
//
// Methods do not add noise themselves. Package internal/release adds the noise that the event
// describes and releases the result. If the guarantee depends on an exact minimizer,
// internal/release finds the minimizer too (see release.Problem).
package erm
