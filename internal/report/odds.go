package report

import "github.com/ditherml/dither/account"

// risk returns the bounds on attacks on one record. They follow from the whole curve where the page
// has it, and from epsilon and delta.
func (g Guarantee) risk() account.Risk { return account.RiskOf(g.curve(), g.Epsilon, g.Delta) }

// groupRisk returns the bounds on attacks on several rows together, by their epsilon and delta.
func (g Guarantee) groupRisk() account.Risk {
	return account.RiskOf(account.TradeOff{}, g.GroupEpsilon, g.Delta)
}

// curve returns what is proven about the errors of attackers on one record.
func (g Guarantee) curve() account.TradeOff {
	if g.Attacker == nil {
		return account.TradeOff{}.With(g.Epsilon, g.Delta)
	}
	return g.Attacker.With(g.Epsilon, g.Delta)
}

// right is the probability of the right answer when a fair coin decides between two data sets.
func right(r account.Risk) float64 { return (1 + r.Advantage) / 2 }

// rightAt is the bound on right answers that follows from epsilon and delta alone.
func rightAt(epsilon, delta float64) float64 {
	return right(account.RiskOf(account.TradeOff{}, epsilon, delta))
}
