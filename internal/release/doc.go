// Package release is the trusted core of dither: it alone makes bounded sums and noisy values, and
// a reader who has read it knows why every release is private. The proofs are in docs/release.md.
//
// # Why a release is private
//
//  1. A record is a row of integers, which is made from that record alone (rows.go, storage.go,
//     storage_bits.go, storage_sparse.go).
//  2. When a row enters, portable code computes the exact squared norm n2 of what it adds, and its
//     product h with a secret vector (entered.go, frame.go, secret.go).
//  3. A sample is drawn as the event of its sampling says, and its members stay inside (sample.go,
//     rotation.go).
//  4. Gradient code proposes integers q for each record, and is trusted to look at that record and
//     at released numbers alone; kernels round and add them up, and may be wrong (verify.go,
//     whole.go).
//  5. The core marks each record once (seen_set.go), and refuses the sum unless |q|²·n2 ≤ Δ²
//     (check.go): so one record moves the sum by at most Δ.
//  6. It notes q·h, and a finished sum whose product with the secret is not the sum of the notes is
//     never released: so the sum is that of those proposals, but for a chance of 2^-61 a column
//     (sum.go, group.go).
//  7. The grid keeps sums and noise far from the ends of 64 bits, so that integers add up exactly
//     (grid.go).
//  8. A release asks for payment first, with the event that the sample and the noise are (pay.go).
//  9. Then it adds noise of exactly that event, drawn by integer arithmetic from a key of its own
//     (draw.go, draw_other.go, internal/sample), and forgets the noise.
//  10. So what leaves as a Noisy was paid for as the event that it is, and all that is computed from
//     it is post-processing (release.go, join.go, noisy.go).
//
// The chain of types is Rows → Sum → Bounded → Noisy. Their fields are unexported, so no other
// package can fill one.
//
// # In which order to read
//
// Begin with release.go, pay.go, sum.go, check.go, entered.go and secret.go. The other files of the
// list above follow. What remains is for one mechanism each:
//
//   - vectors in other norms: vector.go, vector_check.go, norm.go, divide.go, projected.go
//   - second moments and sums of products: moment*.go, products.go, product*.go
//   - whitened rows: whitened.go, whitened_check.go
//   - noise correlated over steps: series*.go
//   - the last iterate: lastiterate.go, recursion.go, loss_derivative.go
//   - minimizers: minimize*.go, objective.go, newton.go, descend.go, candidates.go, loss.go
//   - choices: choose.go, scoresum.go, ranks.go, partition_selection.go
//
// Files of rows are in file*.go. Blocks, passes and scores serve the callers: block.go, pass.go,
// measures.go, scorer.go, addto.go. The page says what of them the checks find, and what stays
// trusted.
package release
