// Package dither trains machine-learning models with differential privacy and certifies their
// guarantee. NewBudget, Train, Query, Evaluate, Save, Open and Verify have the defaults of the
// command dither. The packages beneath offer everything else. This page lists the packages and the
// direction of their dependencies.
//
// # One direction
//
// The values of a training run flow in one direction:
//
//	guarantee wanted --calibrate--> plan --> event --> reserve --> grant
//	file --schema--> dataset --feature map, grid--> rows --sampling--> sample
//	sample --model proposes contributions--> verified integer sum --seal--> bounded
//	bounded --release, paid by the grant--> noisy --optimizer--> parameters
//	parameters --> metrics, certificate, report
//
// A plan lists the public numbers of a run. The event, which determines the price, follows from the
// plan alone. The price is reserved before the first draw. All computations on noisy values are
// post-processing: they cost nothing and read no records.
//
// Types enforce this order. Only a sealed sum, which accepts no more records, and a few other
// reviewed constructors of package internal/release return bounded values. Only a paid release
// turns a bounded value into a noisy one, and optimizers accept only noisy values. Code that
// computes gradients is not trusted: a model or a clipping rule proposes the contribution of a
// record. The sum verifies in integers that the contribution is within its bound, and replaces it
// by zero otherwise. So a mistake in a model can reduce accuracy but not privacy.
//
// A run without privacy has the same steps, and every accountant prices it at infinity.
//
// # Packages
//
// In import order: a package imports only packages above it.
//
//	privacy      the vocabulary: neighboring relation, guarantee, privacy unit
//	mechanism    events: descriptions of releases that determine their cost
//	account      from an event to a guarantee, and from a guarantee to the noise it needs
//	ledger       the budget of a data set and the record of its reservations
//	certificate  plan and events as a file, and their recomputation
//	data         columnar records under a declared, public schema; readers
//	feature      fixed, row-wise feature maps
//	query        private counts, sums, means and covariances
//	network      layers of neural networks, gradients of single records; knows nothing of privacy
//	model        losses and models; knows nothing of privacy; loads and serves trained models
//	evaluate     metrics
//	train        private gradient descent: plans, clipping rules, optimizers
//	train/erm    other algorithms for private empirical risk minimization
//	train/neural private training of networks
//	sweep        many settings at once, and private selection among them
//	explain      certificates, events and plans in plain words
//	internal/outcome  the results of a finished sweep: its table, page and files
//	internal/training one training, from its plan to the folder of its results
//	cmd/dither   the tool
//	examples     short programs to begin with
//
// No user imports the packages beneath internal. Package release is the trusted core. Package
// artefact writes and verifies folders of results. Package report formats text, plots and pages,
// and computes nothing. Package kernel contains dense and sparse linear algebra, and the buffer
// that models fill.
//
// The trusted part is small: internal/release (draw the sample, verify the contribution, add
// exactly, add noise), mechanism, account and ledger. It imports only the standard library and
// golang.org/x.
//
// The exact table of allowed imports is in internal/repocheck/layering_test.go, and a test refuses
// every other import. CONTRIBUTING.md explains how to argue for a change of the table.
// docs/dependencies.md explains the need for each third-party module.
//
// # Where to begin
//
// The command does the whole job: go run ./cmd/dither train. In a program, begin with a schema,
// which data.ReadSchema reads from a file and data.ParseSchema from text. Then call NewBudget and
// Train. Train accepts a slice of structs, a file or a data set; go run ./examples/structs shows
// it. Package train has every plan and optimizer, and package account prices any mechanism.
package dither
