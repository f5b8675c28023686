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

// secretKey is the key of witnesses in the first record: whoever has it can test guesses of the
// records.
var secretKey = regexp.MustCompile(`"witness-key":"[0-9a-f]{64}",`)

// withheld is what stands in place of a witness.
var withheld = json.RawMessage(`{"witness":"withheld"}`)

// Export writes all records as JSON lines, oldest first. Witnesses of content and their key stay in
// the ledger.
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
		Create  json.RawMessage `json:"create"`
		Witness json.RawMessage `json:"witness"`
	}
	if err := json.Unmarshal(payload, &kinds); err != nil {
		return nil, err
	}
	switch {
	case kinds.Witness != nil:
		return withheld, nil
	case kinds.Create == nil:
		return payload, nil
	}
	out := secretKey.ReplaceAll(payload, nil)
	if bytes.Contains(out, []byte("witness-key")) {
		return nil, fmt.Errorf("the key of witnesses is malformed, want 64 hexadecimal digits")
	}
	return out, nil
}
