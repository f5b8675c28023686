//go:build long

package repocheck

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// flushFiles are laid over package release: a function that sets the processor's mode of floating
// point, and a test that makes sums in the ordinary mode and in the one that flushes numbers below
// 2^-1022 to zero (SSE control bits 15 and 6), as careless kernels leave it behind.
var flushFiles = map[string]string{
	"flush_amd64.s": `#include "textflag.h"

TEXT ·setMode(SB), NOSPLIT, $0-4
	LDMXCSR mode+0(FP)
	RET
`,
	"flush_mode.go": `package release

func setMode(mode uint32)
`,
	"flush_mode_test.go": `package release

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

const ordinaryMode, flushMode = 0x1f80, 0x9fc0

var tiny = 5e-324

func TestFlushedMode(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sums := func(mode uint32) (totals []int64, flushed bool) {
		setMode(mode)
		defer setMode(ordinaryMode)
		rows, sample := made(t, [][]float64{{1, tiny}, {0.5, 0.25}, {1e-310, 1e-308}, {1, 1}}, 1.0/(1<<14))
		s := newTestSum(t, rows, sample, 2, 1.5, 8)
		p := []float64{tiny, 0.5, 1e-320, -3, math.MaxFloat64, tiny, 1e-308, 1e-312}
		if err := s.Add(0, kernel.Contributions{Columns: 2, Coefficients: p}); err != nil {
			t.Fatal(err)
		}
		q := make([]int64, 2)
		for i := range 4 {
			adderOf(s).roundWithin(q, p[2*i:2*i+2], rows.norm2(i), rows.multiplier(i))
			if limit := exactNorm2([]int64{s.grid.bound}, []int16{1}); exactNorm2(q, rows.row(i)).Cmp(limit) > 0 {
				t.Errorf("mode %x: record %d adds more than the bound", mode, i)
			}
		}
		return adderOf(s).Total, tiny*1.5 == 0
	}
	plain, off := sums(ordinaryMode)
	flush, on := sums(flushMode)
	if off || !on {
		t.Fatal("the mode did not change")
	}
	if !slices.Equal(plain, flush) {
		t.Errorf("sums are %v, and %v when small numbers are flushed to zero", plain, flush)
	}
}
`,
}

// TestFlushToZeroChangesNoSum holds that the mode that a careless kernel may leave behind changes no
// bit of a sum, and lets no contribution pass the bound.
func TestFlushToZeroChangesNoSum(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the mode is set by an instruction of amd64")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range flushFiles {
		file := filepath.Join(dir, name)
		if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, "internal", "release", name)] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err = os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "test", "-vet=off", "-count=1", "-overlay", overlay, "-run", "^TestFlushedMode$", "-v", "./internal/release").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFlushedMode") {
		t.Errorf("%v\n%s", err, out)
	}
}
