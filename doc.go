// Package dither trains machine-learning models whose every release is differentially private, and
// can prove it. It is the front door of a library. NewBudget, Train, Query, Evaluate, Save, Open
// and Verify have the defaults of the command, and the packages beneath do everything else. This
// page says where things are and in which direction they depend on each other.
//
// # One direction
//
// A training run is a line without loops:
//
//	guarantee wanted --calibrate--> plan --> event --> reserve --> grant
//	file --schema--> dataset --feature map, grid--> rows --sampling--> sample
//	sample --model proposes contributions--> verified integer sum --seal--> bounded
//	bounded --release, paid by the grant--> noisy --optimizer--> parameters
//	parameters --> metrics, certificate, report
//
// The plan states what will be done. The event that is priced follows from the plan alone. The
// price is reserved before the first draw. Everything after the noisy value is post-processing and
// costs nothing; nothing flows back to the records.
//
// Types enforce this order. Only a sealed sum yields a bounded value, as do the few other reviewed
// constructors of package internal/release. Only a paid release turns a bounded value into a noisy
// one, and optimizers take only noisy values. Code that computes gradients is not trusted: a model
// or a clipping rule proposes what a record contributes. The sum checks in integers that the
// proposal keeps the promised bound, or counts it as zero. A fault in a model can therefore cost
// accuracy but not privacy.
//
// A run without privacy takes the same path, and every accountant prices it at infinity.
//
// # Packages
//
// In import order; a package knows only packages above it.
//
//	privacy      the vocabulary: neighboring relation, guarantee, privacy unit
//	mechanism    what a release is and costs: events and noise
//	account      from an event to a guarantee, and from a guarantee to the noise it needs
//	ledger       the budget of a data set and the record of what was spent
//	certificate  plan and events as a file, and their recomputation
//	data         columnar records under a declared, public schema; readers
//	feature      fixed, row-wise feature maps
//	query        private counts, sums, means and covariances
//	network      layers of neural networks and the factors of each record; knows nothing of privacy
//	model        losses and models; knows nothing of privacy; loads and serves what was trained
//	evaluate     metrics
//	train        private gradient descent: plans, clipping rules, optimizers
//	train/erm    the other ways to a private minimizer
//	train/neural private training of networks
//	sweep        many settings at once, and private selection among them
//	explain      certificates, events and plans in plain words
//	internal/outcome  what a finished sweep says: its table, page and files
//	internal/training one training, from its plan to the folder of its results
//	cmd/dither   the tool
//	examples     short programs to begin with
//
// Beneath internal stand the packages that no user imports. They include release (the trusted core)
// and artefact (folders of results, written and verified). Package report makes text, plots and
// pages, and computes nothing. Package kernel has dense and sparse kernels, and the buffer that
// models fill.
//
// The trusted part is small: internal/release (draw the sample, verify the contribution, add
// exactly, add noise), mechanism, account and ledger. It uses the standard library and golang.org/x
// only.
//
// The exact table of allowed imports stands in internal/repocheck/layering_test.go, and a test
// refuses every edge that is not in it. CONTRIBUTING.md says how to argue for a change to the
// table, and docs/dependencies.md why each third-party module is here.
//
// # Where to begin
//
// The command does the whole job: go run ./cmd/dither train. In a program, begin with NewBudget and
// Train, which take a slice of structs, a file or a data set; go run ./examples/structs shows them.
// Package train has every plan and optimizer, and package account prices any mechanism.
package dither
