package bookkeeping

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// exported is one line of an export.
type exported struct {
	Sequence uint64          `json:"sequence"`
	Time     string          `json:"time"`
	Hash     string          `json:"hash"`
	Record   json.RawMessage `json:"record"`
}

// secretKey is half of the key of witnesses, in the first record.
var secretKey = regexp.MustCompile(`"witness-key":"[0-9a-f]{64}",`)

// Export writes all records as JSON lines, oldest first. It leaves out the ledger's half of the
// witness key.
func (l *Ledger) Export(w io.Writer) error {
	for _, c := range l.store.records {
		record, err := public(c.Payload)
		if err != nil {
			return fmt.Errorf("record %d: %w", c.Seq, err)
		}
		line, err := json.Marshal(exported{c.Seq, stamp(c.Time), hex.EncodeToString(c.Hash[:]), record})
		if err != nil {
			return err
		}
		if _, err = w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// public returns a record without what is as secret as the records of persons.
func public(payload []byte) (json.RawMessage, error) {
	var kinds struct {
		Create json.RawMessage `json:"create"`
	}
	if err := json.Unmarshal(payload, &kinds); err != nil {
		return nil, err
	}
	if kinds.Create == nil {
		return payload, nil
	}
	out := secretKey.ReplaceAll(payload, nil)
	if bytes.Contains(out, []byte("witness-key")) {
		return nil, fmt.Errorf("the key of witnesses is malformed, want 64 hexadecimal digits")
	}
	return out, nil
}
