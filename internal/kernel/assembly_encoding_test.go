package kernel

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestListsAgreeWithTheAssembler assembles the kernels and compares the first byte of each instruction with what the
// lists of mnemonics say: AVX-512 begins with 0x62, AVX, FMA, BMI2 and masks with 0xc4 or 0xc5. It needs the go command.
func TestListsAgreeWithTheAssembler(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("NOT RUN: there is no go command: %v", err)
	}
	include := filepath.Join(strings.TrimSpace(string(root)), "pkg", "include")
	for path, functions := range readAllAssembly(t) {
		command := exec.Command("go", "tool", "asm", "-p", "kernel", "-I", include, "-S", "-o", filepath.Join(t.TempDir(), "o"), path)
		command.Env = append(os.Environ(), "GOARCH=amd64", "GOOS=linux", "GOFLAGS=")
		listing, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", path, err, listing)
		}
		first := firstBytes(t, listing)
		for _, f := range functions {
			for _, s := range f.statements {
				if s.mnemonic == "PCALIGN" {
					continue
				}
				b, found := first[s.line]
				if !found {
					t.Fatalf("%s:%d: the listing of the assembler lacks %s", path, s.line, s.mnemonic)
				}
				if got, want := encodingOf(b), s.encoding(); got != want {
					t.Errorf("%s:%d: %s %s begins with %#x, as of %s, want %s", path, s.line, s.mnemonic, s.operands, b, got, want)
				}
			}
		}
	}
}

// encoding is the form that the lists expect.
func (s statement) encoding() string {
	switch features, _ := s.needs(); {
	case len(features) == 0:
		return "the baseline"
	case strings.HasPrefix(s.mnemonic, "K") || !s.evex():
		return "AVX"
	}
	return "AVX-512"
}

// encodingOf is the form of an instruction in 64-bit mode that begins with a byte.
func encodingOf(first byte) string {
	switch first {
	case 0x62:
		return "AVX-512"
	case 0xc4, 0xc5:
		return "AVX"
	}
	return "the baseline"
}

var (
	listedInstruction = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \([^:]*:(\d+)\)\t([A-Z0-9.]+)`)
	listedBytes       = regexp.MustCompile(`^\t0x([0-9a-f]+) ((?:[0-9a-f]{2} ){1,16})`)
)

// firstBytes returns the first byte of the instruction of each line, from a listing of the assembler. The bytes of a
// function follow its instructions there.
func firstBytes(t *testing.T, listing []byte) map[int]byte {
	t.Helper()
	first, at, code := map[int]byte{}, map[int]int{}, []byte(nil)
	settle := func() {
		for line, offset := range at {
			if offset < len(code) {
				first[line] = code[offset]
			}
		}
		at, code = map[int]int{}, nil
	}
	for line := range bytes.Lines(listing) {
		if m := listedInstruction.FindSubmatch(line); m != nil {
			if code != nil {
				settle()
			}
			offset, _ := strconv.Atoi(string(m[1]))
			number, _ := strconv.Atoi(string(m[2]))
			if name := string(m[3]); name != "PCDATA" && name != "FUNCDATA" {
				if _, known := at[number]; !known {
					at[number] = offset
				}
			}
		} else if m = listedBytes.FindSubmatch(line); m != nil {
			b, err := hex.DecodeString(strings.ReplaceAll(string(m[2]), " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, b...)
		}
	}
	settle()
	return first
}
