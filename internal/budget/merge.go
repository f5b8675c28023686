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
// The cap of the sum is what basic composition of the ledgers proves (see basic in filter_basic.go). Under
// rdp with several orders the sums may have no room at any order, although that cap is kept.
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
	list, forfeit := append([]*held(nil), from.state.list...), from.state.forfeit
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
			return record{Import: &importRecord{planRecord: p.record, Certificate: h.Certificate, Source: where}}, nil
		})
		if err != nil {
			return err
		}
	}
	if forfeit {
		return b.ForfeitAll(ctx, source+" had forfeited what was left", b.Terms().Who)
	}
	return nil
}
