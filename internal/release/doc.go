// Package release is the trusted core of dither. No other package makes bounded sums and noisy
// values. A reader who has read this package knows why every release is private. The proofs are in
// docs/release.md.
//
// # Why a release is private
//
//  1. A record is a row of integers. The code that fills a row is trusted to read only that record
//     and released numbers (rows.go).
//  2. When a row is filled, portable code stores the product of its integers with a secret vector.
//     Package rows stores the integers, and whatever it returns later is checked against that
//     product (fill.go, storage.go, origin.go, reader.go). Let y be the integers that a row adds to
//     a sum. Portable code computes the squared norm n2 of y, exactly or rounded up. It also
//     computes the product h of y with the secret (entered.go, frame.go, frame_check.go,
//     secret.go).
//  3. A sample is drawn as the event of its sampling states. Only gradient code reads its members
//     (sampling.go, sample.go, rotation.go).
//  4. Gradient code proposes coefficients for each record. It is trusted to read only that record
//     and released numbers. Kernels round the coefficients to integers q and add up the products
//     q·y. Kernels may be wrong. Whether an integer is that of its own record is checked for a few
//     records, which are picked secretly (round.go, package rows).
//  5. The core marks each record once (seen_set.go), and refuses the sum unless |q|²·n2 ≤ Δ²
//     (check.go). So one record that is added or removed changes the sum by at most Δ.
//  6. The core adds up q·h. If the product of a finished sum with the secret differs from this
//     total, the sum is never released. So a released sum is the sum of the products q·y, except
//     with a chance of 2^-61 for each column (check.go, sum.go, group.go).
//  7. The grid keeps sums and noise far from the ends of 64 bits, so integers add up exactly
//     (grid.go, coarse.go).
//  8. A release is paid for before its noise is drawn. The paid event is the noise on the sample
//     (pay.go).
//  9. Then the release adds the noise of that event, up to a difference that accountants count, and
//     does not store the noise. Integer arithmetic draws the noise from a key of its own (draw.go,
//     draw_other.go, internal/sample).
//  10. So every released number was paid for by the event that describes it. Everything computed
//     from released numbers is post-processing (release.go, join.go, noisy.go).
//
// The chain of types is Rows → Sum → Bounded → Noisy. Their fields are unexported, so no other
// package can fill one.
//
// # The ways out
//
// Release and JointSum.Release release sums. Series.Release releases the steps that OpenSeries paid
// for. RunRecursion, SolveObjective, Choose and PartitionSelection.Release each pay, draw and
// release by themselves. Blocks, their scores and Sample.Indices are private: they are for gradient
// code.
//
// # In which order to read
//
// Begin with release.go, pay.go, sum.go, check.go, secret.go, entered.go, origin.go and reader.go.
// The other files of the list above follow. Each of the remaining files is for one mechanism:
//
//   - the layers of the noise, for attacks on it: noise_layers.go
//   - sums of vectors, in several norms: vector.go, vector_total.go, vector_check.go, norm.go
//   - sums over groups of records: divide.go
//   - sums that clip by projections: projected.go
//   - second moments: moment.go, moment_check.go, products.go
//   - sums over the layers of networks: product.go, product_part.go, product_check.go
//   - whitened rows: whitened.go, whitened_check.go
//   - noise correlated over steps: series*.go; estimates of their sums: internal/estimate
//   - the last iterate: lastiterate.go, recursion.go, loss_derivative.go
//   - minimizers: minimize*.go, objective.go, newton.go, descend.go, loss.go
//   - choices: choose.go, scoresum.go, ranks.go, candidates.go
//   - sums of several processes: communicator.go
//   - names that are not declared: partition_selection.go, partition_selection_terms.go
//
// Files of rows are opened in file.go. Blocks, passes and scores serve the callers: block.go,
// pass.go, measures.go, measure_rows.go, standardize.go, scorer.go, addto.go. docs/release.md
// states which faults of these files the checks find, and what remains trusted.
//
// # Words of the code
//
//   - bound: the largest norm of one record's contribution. In integers it is Δ, or grid.bound.
//     limit is Δ in the units of n2.
//   - unit: the value of the integer 1
//   - proposal: numbers from a caller or a kernel, which are checked before anything of them is
//     released
//   - mix: a product with the secret, such as h. A note is the total of q·h, which the product of a
//     finished sum with the secret must equal.
//   - enter: to compute and store n2 and h when a row is first read
//   - origin: what all standardizations of the same stored rows share, such as the secret
//   - book: the numbers with which sums over rows are checked
//   - whole: integers that are stored in float64, where they are exact
//   - frame: a Standardization in integers, y = M·x - β·m with M = 2^bits. tail is the integer of
//     the intercept, and whitener is a whitening matrix.
//   - measures: the numbers that a frame computes of each row: n2, the multiplier of a proposal, β
//     and the tail
//   - at: the position of a row among the stored rows, from 0
//   - room, own: memory that is reused
package release
