package mechanism

// Payer is asked for payment before noise is drawn; a ledger's grant is one. Pay returns an error
// when the event is not covered, and then nothing is released.
type Payer interface {
	Pay(Event) error
}
