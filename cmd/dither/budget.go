package main

import (
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/ledger"
)

// within is certificate.Within.
func within(asked float64, plan func(epsilon float64) (certificate.Certificate, error)) (certificate.Certificate, error) {
	return certificate.Within(asked, plan)
}

// ledgerOf is the ledger of a run alone.
func ledgerOf(c certificate.Certificate) (*ledger.Ledger, error) { return c.Ledger() }
