// Package budget gives records of a durable chain their meaning: the privacy budget of one data set.
//
// Each plan is reserved as a whole before its first record is read. A filter decides whether the plan
// fits: plans and their prices may depend on all earlier outputs. What the filters sum is in filter.go,
// with the theorem of each.
//
// Plans may run at the same time. Every valid filter for plans that run one after the other stays valid
// then: for (ε, δ), for f-DP and for Rényi divergences of a fixed order (Haney, Shoemate, Tian, Vadhan,
// Vyrros, Xu & Zhang, "Concurrent Composition for Interactive Differential Privacy with Adaptive
// Privacy-Loss Parameters", CCS 2023, https://arxiv.org/abs/2309.05901). The filter gdp is a filter for
// f-DP that admits Gaussian trade-off functions only. The filter zcdp is the filter of every fixed order
// at once, since one sum decides for all. Several fixed orders are in filter_rdp.go.
//
// A release that is imported happened before the filter knew of it. The filter could not stop it, and may
// have admitted later plans that it would have refused. So the cap is proven for outcomes alone:
//
//  1. Order all steps as they were begun, imported ones too. The price of each was fixed before it began.
//  2. Let V be all outputs, and W those before the first step with which the sum passes the capacity. W is
//     what a filter leaves that knew of every step in time. So W keeps the cap.
//  3. Let E be a set of outputs with which all that was ever begun is in the ledger at the end, and fits.
//     No step passed the capacity there, because prices are not negative. So V is in E if and only if W is.
//  4. So P(V ∈ E) ≤ e^ε·P'(V ∈ E) + δ for neighbors with the distributions P and P'.
//
// Where imports do not fit, nothing is proven for the cap, and nothing more is admitted. The same holds where
// a release was never imported.
//
// Three rules keep the total an upper bound:
//
//  1. What is reserved stays spent, whatever becomes of the run.
//  2. Only steps that were never begun are given back: by the process that reserved them, which counts
//     its own payments. A run that fell silent gets nothing back.
//  3. Sums are integers. Each price is computed from its event again when the records are read, and is
//     rounded upward.
package budget
