// Package neural trains networks with differential privacy. Gradients of single records are
// clipped, summed exactly and released with noise, step after step. Optimizers see released numbers
// only.
//
// The package has the shape of package train. NewSetup turns a request into a plan, from public
// numbers alone. The plan's event is reserved before a record is read; Fit pays and releases.
// Networks, norms of gradients, clipping rules and optimizers are proposals. Package
// internal/release verifies in integers what one record adds. A fault in any proposal may therefore
// cost accuracy, never privacy. One property stays with this package: the proposal for a record
// depends on that record and on released numbers alone.
//
// A new clipping rule or optimizer takes one file and one line in its table.
package neural
