package dither

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// leftInBook is Left of a durable ledger: 0 where it cannot be read.
func (b *Budget) leftInBook() float64 {
	if b.book.Refresh(context.Background()) != nil {
		return 0
	}
	left, err := b.book.Left("")
	if err != nil {
		return 0
	}
	return left.Epsilon * (1 - 1e-6) // a plan pays for the rounding of its noise too
}

// openUnder returns a ledger for one call, under the durable ledger. settle ends the call.
func (b *Budget) openUnder(ctx context.Context, unit privacy.Unit) (*ledger.Ledger, error) {
	limit, err := privacy.NewGuarantee(b.epsilon, b.delta, b.neighboring, unit)
	if err != nil {
		return nil, err
	}
	opened, err := ledger.NewSingle(limit)
	if err != nil {
		return nil, err
	}
	b.payment, err = opened.Under(ctx, b.book, budget.Ask{})
	return opened, err
}

// settle ends a call that spent: certificate is the file of its certificate, nil for none. When the
// durable ledger cannot note the end, everything that was reserved stays spent, which is what the
// ledger says of it then.
func (b *Budget) settle(ctx context.Context, certificate []byte) {
	if b.payment == nil {
		return
	}
	name := ""
	if certificate != nil {
		hash := sha256.Sum256(certificate)
		name = hex.EncodeToString(hash[:])
	}
	_ = b.payment.Settle(context.WithoutCancel(ctx), name)
	b.payment = nil
}
