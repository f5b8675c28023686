package chain

import (
	"context"
	"slices"
)

// Memory is a chain in memory, which ends with its process. It is for tests, and for work without a
// ledger.
type Memory struct {
	handle
	shared *shared
	read   int // records that were taken into unseen
}

// shared is the chain of all handles on it.
type shared struct {
	lock    chan struct{}
	records []Record
}

// NewMemory returns a chain without records. The first Update appends the record with Seq 0.
func NewMemory() *Memory {
	return &Memory{handle: newHandle(), shared: &shared{lock: make(chan struct{}, 1)}}
}

// Open returns another Store on the same chain, as another process would open it.
func (m *Memory) Open() Store { return &Memory{handle: newHandle(), shared: m.shared} }

// Update is Store.Update.
func (m *Memory) Update(ctx context.Context, seen func(Record) error, next func() ([]byte, error)) (Record, error) {
	var added Record
	err := m.held(ctx, seen, func() error {
		payload, err := next()
		if err == nil {
			err = CheckPayload(payload)
		}
		if err != nil {
			return err
		}
		added = m.shared.add(slices.Clone(payload))
		m.read++
		return nil
	})
	return added, err
}

// View is Store.View.
func (m *Memory) View(ctx context.Context, seen func(Record) error) error {
	return m.held(ctx, seen, func() error { return nil })
}

// held calls seen for what is new and then do, under the lock of all handles.
func (m *Memory) held(ctx context.Context, seen func(Record) error, do func() error) error {
	if err := m.enter(ctx); err != nil {
		return err
	}
	defer m.leave()
	select {
	case m.shared.lock <- struct{}{}:
		defer func() { <-m.shared.lock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	m.unseen = append(m.unseen, m.shared.records[m.read:]...)
	m.read = len(m.shared.records)
	if err := m.pass(seen); err != nil {
		return err
	}
	return do()
}

// Close is Store.Close.
func (m *Memory) Close() error {
	if err := m.enter(context.Background()); err != nil {
		return err
	}
	defer m.leave()
	m.dead = ErrClosed
	return nil
}

// add appends a record.
func (s *shared) add(payload []byte) Record {
	r := Record{Seq: uint64(len(s.records)), Time: Clock().Unix(), Payload: payload}
	var earlier [32]byte
	if n := len(s.records); n > 0 {
		earlier = s.records[n-1].Hash
	}
	r.Hash = Link(earlier, r.Seq, r.Time, r.Payload)
	s.records = append(s.records, r)
	return r
}
