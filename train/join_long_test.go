//go:build long

package train

// joinedPairs is the number of pairs that TestJoinedSumsMoveByTheBound trains on.
const joinedPairs = 10_000
