package mechanism

// Payer pays for releases before their noise is drawn. A *ledger.Grant is a Payer.
type Payer interface {
	// Pay pays for one release. If it returns an error, the release is not paid and must not
	// happen.
	Pay(Event) error
}
