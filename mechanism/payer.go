package mechanism

// Payer pays for releases before their noise is drawn. A ledger.Grant is one. If Pay returns an
// error, the event is not covered and nothing is released.
type Payer interface {
	Pay(Event) error
}
