// Package dynamics describes how a network learns from given records when their gradients are
// clipped. It computes the tangent kernel with and without clipping, the loss along descents with
// all records, and the norms of gradients by layers. Everything is computed exactly, and no
// guarantee covers it, so it is for public records.
//
// Gradient flow with weights s_(r,i) for the gradient of record i in group r of the parameters
// moves the outputs f of all records by
//
//	df/dt = -(Σ_r H_r·diag(s_r))·∂L/∂f    with H_r = J_r·J_rᵀ, J_r = ∂f/∂w_r
//
// so that dL/dt = -∂L/∂f·M·∂L/∂fᵀ with M = Σ_r H_r·diag(s_r).
//
//   - Without clipping M is the tangent kernel H, which is symmetric and positive semidefinite.
//   - With one group, M = H·diag(s) is not symmetric. Its quadratic form may be negative, so the
//     loss may rise. Its eigenvalues equal
//     the eigenvalues of √diag(s)·H·√diag(s) and are not negative. If H is
//     invertible and s is positive, M is invertible. A loss that is convex in f then comes to rest
//     only at its minimum.
//   - With several groups the eigenvalues may be negative too, and the loss may rest elsewhere.
//
// Source: Z. Bu, H. Wang, Z. Dai and Q. Long, "On the convergence and calibration of deep learning
// with differential privacy", TMLR 2023, section 4, https://arxiv.org/abs/2106.07830.
package dynamics
