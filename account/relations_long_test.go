//go:build long

package account

// everyRelation says that TestExtremeEvents prices under zero-out what is priced under add-or-remove-one.
const everyRelation = true
