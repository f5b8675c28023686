//go:build !long

package train

// everyPair says that TestNeighborsMoveEveryStatisticByAtMostItsBound tests slow statistics on as many pairs as others.
const everyPair = false
