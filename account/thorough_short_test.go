//go:build !long

package account

// thorough says that the tests go through all events, rows, orders and accountants. The ordinary run takes a part of
// them, by the number of each.
const thorough = false
