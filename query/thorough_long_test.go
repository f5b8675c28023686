//go:build long

package query

// neighborPairs is how many pairs of neighbors TestNeighborsMoveEveryStatisticByAtMostItsCharge tries for each plan.
const neighborPairs = 1000
