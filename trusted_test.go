package dither_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trusted are the files that verify, sum, sample and release: whoever reviews the guarantee reads
// them first, so they stay few.
var trusted = []string{"sum.go", "whole.go", "group.go", "tally.go", "sampling.go", "pay.go", "release.go"}

// maxTrusted is how many lines of code, without comments and empty lines, they may have.
const maxTrusted = 720

func TestTrustedPartIsSmall(t *testing.T) {
	lines := 0
	for _, name := range trusted {
		text, err := os.ReadFile(filepath.Join("mechanism", name))
		if err != nil {
			t.Fatal(err)
		}
		for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
			if line := strings.TrimSpace(scan.Text()); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	if lines > maxTrusted {
		t.Errorf("%d lines of code verify, sum, sample and release, want at most %d; move out what is not of the proof", lines, maxTrusted)
	}
	if lines < 100 {
		t.Errorf("%d lines counted, want those of the files %v", lines, trusted)
	}
}
