// Package neural trains networks with differential privacy: gradients of single records are clipped, summed
// exactly and released with noise, step after step, and optimizers see nothing but what was released.
//
// The shape is that of package train. NewSetup turns a request into a plan, from public numbers
// alone. The plan's event is reserved before a record is looked at; Fit pays and releases.
// Networks, norms of gradients, clipping rules and optimizers are proposals: internal/release
// verifies in integers what one record adds, so that a fault in any of them may cost accuracy and
// never privacy. They are trusted with one thing: what they propose for a record depends on that
// record and on released numbers alone.
//
// To add a clipping rule or an optimizer, write one file and add one line to its table.
package neural
