package mechanism

// Payer is asked for payment before noise is drawn; a ledger's grant is one. Pay
// returns an error, and nothing is released, when the event is not covered.
type Payer interface {
	Pay(Event) error
}
