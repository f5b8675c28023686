package budget

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ditherml/dither/internal/chain"
)

// Merge makes a new ledger of several that were kept apart about the same data. The caps add up: each ledger
// promised its own cap, and nothing promised less for all of them together. All that they spent is
// imported, reservations that are open as a whole. The ledgers are read, and not changed: whoever merges
// them reserves in the new one from then on.
//
// The filter of the sum has room for all that the ledgers spent, if each kept its own cap:
//
//   - basic adds ε and δ, as the caps do.
//   - gdp: noise that is (ε₁, δ₁)-private and noise that is (ε₂, δ₂)-private are (ε₁+ε₂, δ₁+δ₂)-private
//     together. The capacity of a cap is the largest μ that keeps it.
//   - rdp: say ledger 1 has room at order a, and ledger 2 at order b ≤ a. Prices rise with the order, so
//     ledger 1 spent at most B_a at order b. A capacity is ε less an offset of 0 or more, which falls with
//     δ. So B_a + B_b is at most the capacity of order b under the sum of the caps.
//   - zcdp: the same, with the orders at which the conversion of the two capacities is best. An order of
//     about 1/δ has a negative offset. It is best where ε is of the size of δ: there Merge may find no room.
//
// So one filter holds for all plans before the merger and after it. A bound that joins two proofs, one for
// where the sums fit and one for where they do not, would need δ twice.
func Merge(ctx context.Context, store chain.Store, who, tool string, books ...*Book) (*Book, error) {
	if len(books) < 2 {
		return nil, errors.New("budget: there is nothing to merge, want at least two ledgers")
	}
	t, names := books[0].Terms(), []string{}
	for i, b := range books {
		if err := b.Refresh(ctx); err != nil {
			return nil, err
		}
		names = append(names, b.Ledger())
		for k := range i {
			if names[k] == names[i] {
				return nil, errors.New("budget: two of the ledgers are copies of one, want the one that extends the other; import what the other alone has")
			}
		}
		if i == 0 {
			continue
		}
		if err := t.sum(b.Terms()); err != nil {
			return nil, err
		}
	}
	t.Who, t.Tool = who, tool
	merged, err := Create(ctx, store, t)
	if err != nil {
		return nil, err
	}
	if err = merged.Note(ctx, fmt.Sprintf("merged of %d ledgers, whose caps add up to epsilon %g at delta %g", len(books), t.Epsilon, t.Delta), who); err != nil {
		return nil, err
	}
	for i, b := range books {
		if err = merged.importAll(ctx, b, "ledger "+names[i][:8]); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// sum adds the cap of other terms, which must be about the same data in the same way.
func (t *Terms) sum(other Terms) error {
	one := other
	one.Epsilon, one.Delta, one.Who, one.Tool, one.Filter.Deltas = t.Epsilon, t.Delta, t.Who, t.Tool, t.Filter.Deltas
	if !reflect.DeepEqual(*t, one) {
		return fmt.Errorf("budget: the ledgers of %q and %q differ in their terms, want one name, relation, unit, filter, orders and populations", t.Name, other.Name)
	}
	t.Epsilon, t.Delta = t.Epsilon+other.Epsilon, t.Delta+other.Delta
	for j, v := range other.Filter.Deltas {
		t.Filter.Deltas[j] = (t.Filter.Deltas[j] + v) * (1 - 1e-15) // the sum stays within that of the deltas
	}
	return nil
}

// importAll counts what another ledger spent.
func (b *Book) importAll(ctx context.Context, from *Book, source string) error {
	from.mu.Lock()
	list, forfeit := append([]*held(nil), from.state.list[b.imported[from]:]...), from.state.forfeit
	from.mu.Unlock()
	for _, h := range list {
		p := h.plan
		if h.Outcome == Stopped {
			if h.Begun == 0 {
				continue
			}
			p.event, _ = first(p.event, h.Begun)
			p.record.Event = p.event.String()
			p.record.Near, p.record.Moved = h.price.Near, h.price.Moved
		}
		where := fmt.Sprintf("%s record %d", source, h.Seq)
		if h.Source != "" {
			where = strings.Join([]string{where, h.Source}, ", ")
		}
		_, err := b.appendTo(ctx, func() (record, error) {
			hash := h.Certificate
			if b.state.freshCertificate(hash) != nil { // counted by both ledgers, and so it counts twice
				where, hash = fmt.Sprintf("%s, certificate %.8s once more", where, hash), ""
			}
			return record{Import: &importRecord{planRecord: p.record, Certificate: hash, Source: where, Run: h.Run}}, nil
		})
		if err != nil {
			return err
		}
	}
	if b.imported == nil {
		b.imported = map[*Book]int{}
	}
	b.imported[from] += len(list)
	if forfeit {
		return b.ForfeitAll(ctx, source+" had forfeited what was left", b.Terms().Who)
	}
	return nil
}

// Succeed closes one of the old ledgers after a merger. What was spent there since is imported first, and nothing
// is written between the last import and the closing. Until all are closed, nobody may know the new ledger.
func (b *Book) Succeed(ctx context.Context, from *Book, reason, who string) error {
	for {
		read := from.Summary().Head.Seq
		if err := b.importAll(ctx, from, "ledger "+from.Ledger()[:8]); err != nil {
			return err
		}
		_, err := from.appendTo(ctx, func() (record, error) {
			if from.state.head().Seq != read {
				return record{}, errMoved
			}
			return record{Forfeit: &forfeitRecord{Reason: reason, Who: who}}, nil
		})
		if !errors.Is(err, errMoved) {
			return err
		}
	}
}

// errMoved is the error of a ledger that another process wrote to.
var errMoved = errors.New("budget: the ledger was written to")
