package chain

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// longLedger writes a ledger of 10,000 records.
func longLedger(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "ledger")
	var records []byte
	at := start
	for i := range 10_000 {
		records, at = appended(records, at, fmt.Appendf(nil, `{"record": %d, "text": "%0300d"}`, i, i))
	}
	temporary, err := writeNew(system{}, path, records, at)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		b.Fatal(err)
	}
	return path
}

func BenchmarkOpen10000(b *testing.B) {
	path := longLedger(b)
	for b.Loop() {
		f, err := Open(background, path)
		if err != nil {
			b.Fatal(err)
		}
		if err = f.View(background, ignore); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// silent is the file system without waiting for the disk.
type silent struct{ system }

type silentFile struct{ systemFile }

func (silentFile) Sync() error { return nil }

func (s silent) open(path string) (file, error) {
	f, err := s.system.open(path)
	if err != nil {
		return nil, err
	}
	return silentFile{f.(systemFile)}, nil
}

func (s silent) admit(f file, path string) (int64, error) {
	return s.system.admit(f.(silentFile).systemFile, path)
}

// BenchmarkUpdate10000 appends to a ledger of 10,000 records: with the two waits for the disk, and without.
func BenchmarkUpdate10000(b *testing.B) {
	path := longLedger(b)
	for _, c := range []struct {
		name string
		disk disk
	}{{"Synced", system{}}, {"BesideSync", silent{}}} {
		b.Run(c.name, func(b *testing.B) {
			f, err := openOn(background, c.disk, path)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			if err = f.View(background, ignore); err != nil {
				b.Fatal(err)
			}
			var longest time.Duration
			for b.Loop() {
				begun := time.Now()
				if _, err = f.Update(background, ignore, payload(`{"record": "text"}`)); err != nil {
					b.Fatal(err)
				}
				longest = max(longest, time.Since(begun))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
		})
	}
}
