//go:build amd64 && !noasm

package kernel

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// TestLevelNeedsAllItsFeatures asks for every feature of the table, those of levels that are not here too: none is
// unknown, and no level is offered without one of its features.
func TestLevelNeedsAllItsFeatures(t *testing.T) {
	for level, l := range levels {
		for _, feature := range l.features {
			if has := hasFeature(feature); !has && instructions(level) <= available {
				t.Errorf("the level is %v, and the processor has no %s", available, feature)
			}
		}
	}
	if best := offered(); best > portable && (!cpu.X86.HasOSXSAVE || !cpu.X86.HasAVX) {
		t.Errorf("the best level is %v, and the operating system saves no registers of AVX", best)
	}
}

// TestMissingFeatureLowersTheLevel takes each feature away from what package cpu reports: the best level is the one
// below the first that needs it.
func TestMissingFeatureLowersTheLevel(t *testing.T) {
	x := &cpu.X86
	features := map[string]*bool{"AVX": &x.HasAVX, "AVX2": &x.HasAVX2, "FMA": &x.HasFMA, "BMI2": &x.HasBMI2, "AVX512F": &x.HasAVX512F, "AVX512BW": &x.HasAVX512BW,
		"AVX512DQ": &x.HasAVX512DQ, "AVX512VL": &x.HasAVX512VL, "AVX512VNNI": &x.HasAVX512VNNI}
	before := *x
	defer func() { *x = before }()
	for _, has := range features {
		*has = true
	}
	if got := offered(); got != avx512VNNI {
		t.Errorf("with all features: level %v, want %v", got, avx512VNNI)
	}
	for level, l := range levels {
		for _, feature := range l.features {
			*features[feature] = false
			if got := offered(); got != instructions(level)-1 {
				t.Errorf("without %s: level %v, want %v", feature, got, instructions(level)-1)
			}
			*features[feature] = true
		}
	}
}
