package main

import (
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/report"
)

// pageAttacker is explain.AttackerCurve for a page: nil where there is none to show, and the page goes by epsilon and delta.
func pageAttacker(c certificate.Certificate) report.Attacker {
	if !c.Private {
		return nil
	}
	trade, err := explain.AttackerCurve(c)
	if err != nil {
		return nil
	}
	return trade
}

// keptAttacker is the attacker of the page that was made last. A run makes its page twice, once to try it, and the curve
// of an event takes up to seconds.
type keptAttacker struct {
	event    string
	claim    explain.Claim
	attacker report.Attacker
}

// of returns what pageAttacker returns.
func (k *keptAttacker) of(c certificate.Certificate) report.Attacker {
	if !c.Private {
		return nil
	}
	of := explain.ClaimOf(c)
	if k.attacker == nil || k.event != c.Event || k.claim != of {
		*k = keptAttacker{c.Event, of, pageAttacker(c)}
	}
	return k.attacker
}
