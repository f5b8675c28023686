// Package erm holds the ways to a private minimizer of a sum of losses that are not gradient descent with
// noise in every step: each is one file, one line in the table of methods, and one section of the plan.
//
// The shape is that of package train. NewSetup turns a request into a plan, from public numbers
// alone. The plan's event is reserved before a record is looked at; Fit pays and releases. What
// comes out is the same as from train, a feature map with weights, so that models are saved, served
// and measured in one way. A method refuses what its theorem does not cover: a loss, a relation, a
// bound.
//
// Methods do not release what they compute: a sealed value of internal/release is released there, with
// the noise that its event states. Where the guarantee rests on an exact minimizer, internal/release
// finds it (see release.Problem).
package erm
