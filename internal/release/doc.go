// Package release is the trusted core of dither: it alone makes bounded sums and noisy values, and
// a reader who has read it knows why every release is private. The proofs are in docs/release.md.
//
// # Why a release is private
//
//  1. A record is a row of integers. The code that fills a row is trusted to look at that record
//     and at released numbers alone (rows.go).
//  2. When a row is filled, portable code keeps the product of its integers with a secret vector.
//     Package rows keeps the integers, and whatever it gives later is held to that (fill.go,
//     storage.go, origin.go, reader.go). Portable code computes the squared norm n2 of the integers
//     y that a row adds, exactly or rounded up. It also computes their product h with the secret
//     (entered.go, frame.go, frame_check.go, secret.go).
//  3. A sample is drawn as the event of its sampling says, and gradient code alone sees its members
//     (sampling.go, sample.go, rotation.go).
//  4. Gradient code proposes coefficients for each record, and is trusted to look at that record
//     and at released numbers alone. Kernels round them to integers q and add up the products q·y,
//     and may be wrong (verify.go, package rows).
//  5. The core marks each record once (seen_set.go), and refuses the sum unless |q|²·n2 ≤ Δ²
//     (check.go): so one record that is added or removed moves the sum by at most Δ.
//  6. It notes q·h, and a finished sum whose product with the secret is not the sum of the notes is
//     never released: so the sum is that of those q·y, but for a chance of 2^-61 a column
//     (check.go, sum.go, group.go).
//  7. The grid keeps sums and noise far from the ends of 64 bits, so that integers add up exactly
//     (grid.go, coarse.go).
//  8. A release is paid for before its noise is drawn, as the event that its sampling makes of its
//     noise (pay.go).
//  9. Then it adds noise of that event, up to the slack that accountants add, and keeps none.
//     Integer arithmetic draws the noise from a key of its own (draw.go, draw_other.go,
//     internal/sample).
//  10. So what leaves was paid for as the event that it is, and all that is computed from it is
//     post-processing (release.go, join.go, noisy.go).
//
// The chain of types is Rows → Sum → Bounded → Noisy. Their fields are unexported, so no other
// package can fill one.
//
// # The ways out
//
// Release and JointSum.Release let sums out. Series.Release lets out what OpenSeries paid for.
// RunRecursion, SolveObjective, Choose and PartitionSelection.Release each pay and draw by
// themselves. Blocks, their scores and Sample.Indices are private: they are for gradient code.
//
// # In which order to read
//
// Begin with release.go, pay.go, sum.go, check.go, secret.go, entered.go, origin.go and reader.go.
// The other files of the list above follow. What remains is for one mechanism each:
//
//   - the layers of the noise, for attacks on it: noise_layers.go
//   - sums of vectors, in several norms: vector.go, vector_check.go, norm.go
//   - sums over groups of records: divide.go
//   - sums that clip by projections: projected.go
//   - second moments: moment.go, moment_check.go, products.go
//   - sums over the layers of networks: product.go, product_part.go, product_check.go
//   - whitened rows: whitened.go, whitened_check.go
//   - noise correlated over steps: series*.go
//   - the last iterate: lastiterate.go, recursion.go, loss_derivative.go
//   - minimizers: minimize*.go, objective.go, newton.go, descend.go, loss.go
//   - choices: choose.go, scoresum.go, ranks.go, candidates.go
//   - names that nobody declared: partition_selection.go, partition_selection_terms.go
//
// Files of rows are opened in file.go. Blocks, passes and scores serve the callers: block.go, pass.go,
// measures.go, measure_rows.go, standardize.go, scorer.go, addto.go. docs/release.md says what of
// them the checks find, and what stays trusted.
//
// # Words of the code
//
//   - bound: the largest norm of one record's contribution; grid.bound is Δ, the same in integers,
//     and limit is Δ as n2 counts
//   - unit: what one of the integers stands for
//   - proposal: what a caller or a kernel gives; nothing is released of it before it is checked
//   - mix: a product with the secret, as h is; a note is the sum of q·h that a finished sum is to
//     have as its product
//   - enter: to compute n2 and h of a row for the first time, and keep them
//   - origin: what rows of the same integers share in all frames, their secret above all
//   - book: what the sums over rows are checked with
//   - whole: integers that stand in float64, where they are exact
//   - frame: what a row is seen from, y = M·x - β·m with M = 2^bits; tail is the integer of the
//     intercept, and whitener a whitening
//   - measures: what a frame makes of rows: n2, the multiplier of a proposal, β and the tail
//   - at: the place of a row among those that are kept, from 0
//   - room, own: memory for what follows, used again
package release
