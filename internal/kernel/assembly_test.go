package kernel

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// levelOfSuffix is the level of a function by the end of its name. A function with none of them is portable: it
// uses what every amd64 processor has.
var levelOfSuffix = map[string]instructions{"AVX2": avx2, "AVX512": avx512, "VNNI": avx512VNNI}

// levelOfFunction returns the level that a function of assembly may use.
func levelOfFunction(name string) instructions {
	for suffix, level := range levelOfSuffix {
		if strings.HasSuffix(name, suffix) {
			return level
		}
	}
	return portable
}

// guaranteed reports whether a level says that the processor has a feature.
func guaranteed(level instructions, feature string) bool {
	for _, l := range levels[:level+1] {
		if slices.Contains(l.features, feature) {
			return true
		}
	}
	return false
}

// statement is one instruction of a function of assembly.
type statement struct {
	function, mnemonic string
	suffixed           bool // with .Z, .BCST, a rounding or the like
	operands           string
	line               int
}

// assemblyFunction is what stands in a file of assembly from one TEXT line to the next.
type assemblyFunction struct {
	name       string
	requires   []string // as the generator counts
	statements []statement
}

var (
	textLine     = regexp.MustCompile(`^TEXT ·(\w+)\(SB\), `)
	labelLine    = regexp.MustCompile(`^\w+:$`)
	instructLine = regexp.MustCompile(`^([A-Z][A-Z0-9]*)((?:\.[A-Z_0-9]+)*)(?:\s+([^;]*))?$`)
)

// readAssembly returns the functions of a file, or an error where a line is none of those that it knows.
func readAssembly(text string) (functions []assemblyFunction, err error) {
	var requires []string
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if list, found := strings.CutPrefix(line, "// Requires: "); found {
			requires = strings.Split(list, ", ")
			continue
		}
		if line == "" || strings.HasPrefix(line, "//") || line == `#include "textflag.h"` ||
			strings.HasPrefix(line, "DATA ") || strings.HasPrefix(line, "GLOBL ") || labelLine.MatchString(line) {
			continue
		}
		if m := textLine.FindStringSubmatch(line); m != nil {
			functions = append(functions, assemblyFunction{name: m[1], requires: requires})
			requires = nil
			continue
		}
		m := instructLine.FindStringSubmatch(line)
		if m == nil || len(functions) == 0 {
			return nil, fmt.Errorf("line %d: %q is no instruction of a function; teach this test to read it", i+1, line)
		}
		f := &functions[len(functions)-1]
		f.statements = append(f.statements, statement{f.name, m[1], m[2] != "", m[3], i + 1})
	}
	return functions, nil
}

var (
	evexOnlyRegister = regexp.MustCompile(`\bZ\d|\b[XY](1[6-9]|2\d|3[01])\b|\bK[0-7]\b`)
	zRegister        = regexp.MustCompile(`\bZ\d`)
)

// evex reports whether a statement has no other encoding than that of AVX-512: for a suffix, a register, or since
// none of the older lists has the mnemonic.
func (s statement) evex() bool {
	if s.suffixed || evexOnlyRegister.MatchString(s.operands) {
		return true
	}
	return featureIn(vexFeatures, s.mnemonic) == ""
}

// needs returns the features that a statement needs, or an error when no list has its mnemonic.
func (s statement) needs() ([]string, error) {
	if slices.Contains(baseline, s.mnemonic) && !s.suffixed && !evexOnlyRegister.MatchString(s.operands) {
		return nil, nil
	}
	if !s.evex() {
		return []string{featureIn(vexFeatures, s.mnemonic)}, nil
	}
	feature := featureIn(evexFeatures, s.mnemonic)
	switch {
	case feature == "":
		return nil, fmt.Errorf("%s (line %d): no list has %s %s; classify it", s.function, s.line, s.mnemonic, s.operands)
	case strings.HasPrefix(s.mnemonic, "K") || slices.Contains(anyLength, s.mnemonic) || zRegister.MatchString(s.operands):
		return []string{feature}, nil
	}
	return []string{feature, "AVX512VL"}, nil
}

// check returns what is wrong with a function: instructions that no list has, and those that its level does not
// guarantee.
func (f assemblyFunction) check() (problems []string) {
	level := levelOfFunction(f.name)
	used := f.requires
	for i, name := range used {
		used[i] = strings.Replace(name, "FMA3", "FMA", 1)
	}
	used = slices.DeleteFunc(used, func(name string) bool { return slices.Contains([]string{"MMX+", "SSE", "SSE2", "CMOV"}, name) })
	for _, feature := range used {
		if !guaranteed(level, feature) {
			problems = append(problems, fmt.Sprintf("%s: the generator counts %s, which level %v does not guarantee", f.name, feature, level))
		}
	}
	for _, s := range f.statements {
		features, err := s.needs()
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		for _, feature := range features {
			if !guaranteed(level, feature) {
				problems = append(problems, fmt.Sprintf("%s (line %d): %s %s needs %s, which level %v does not guarantee", f.name, s.line, s.mnemonic, s.operands, feature, level))
			}
		}
	}
	return problems
}

// readAllAssembly returns the functions of each file of assembly of the module, by its path from here.
func readAllAssembly(t *testing.T) map[string][]assemblyFunction {
	t.Helper()
	files := map[string][]assemblyFunction{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".s" {
			return err
		}
		if !strings.HasSuffix(path, "_amd64.s") {
			t.Errorf("%s: want assembly in files of amd64 alone, which this test reads", path)
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		functions, err := readAssembly(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		files[path] = functions
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestKernelsStayWithinTheirLevel reads the assembly of the whole module: no function has an instruction or a
// register that the level of its name does not guarantee, whatever the processor is that runs the test.
func TestKernelsStayWithinTheirLevel(t *testing.T) {
	functions := map[instructions]int{}
	for path, file := range readAllAssembly(t) {
		for _, f := range file {
			functions[levelOfFunction(f.name)]++
			for _, problem := range f.check() {
				t.Errorf("%s: %s", path, problem)
			}
			if !slices.ContainsFunc(f.statements, func(s statement) bool { return s.mnemonic == "RET" }) {
				t.Errorf("%s: %s has no RET, want whole functions read", path, f.name)
			}
		}
	}
	for level, least := range map[instructions]int{portable: 1, avx2: 30, avx512: 30, avx512VNNI: 10} {
		if functions[level] < least {
			t.Errorf("level %v: %d functions read, want at least %d", level, functions[level], least)
		}
	}
}

// TestFetchWritesNothing reads the assembly of fetchRow, which gets the addresses of numbers that checks trust. An
// instruction without a plain register at its end could write to memory.
func TestFetchWritesNothing(t *testing.T) {
	seen := 0
	for _, file := range readAllAssembly(t) {
		for _, f := range file {
			if !strings.HasPrefix(f.name, "fetchRow") {
				continue
			}
			seen++
			for _, s := range f.statements {
				to := s.operands[strings.LastIndex(s.operands, " ")+1:]
				switch {
				case s.mnemonic == "PREFETCHT1", s.mnemonic == "RET", strings.HasPrefix(s.mnemonic, "J"):
				case to == "AX" || to == "CX":
				default:
					t.Errorf("%s (line %d): %s %s, want a prefetch, a jump, or a result in a register", f.name, s.line, s.mnemonic, s.operands)
				}
			}
		}
	}
	if seen != 1 {
		t.Errorf("%d functions read, want 1", seen)
	}
}

// TestFaultsOfLevelsAreFound plants one instruction each in a function of a level.
func TestFaultsOfLevelsAreFound(t *testing.T) {
	for _, c := range []struct {
		function, line string
		want           string // part of the only problem; none: no problem
	}{
		{"a", "ADDQ AX, BX", ""},
		{"a", "VADDPS Y0, Y1, Y2", "needs AVX,"},
		{"a", "BZHIL AX, BX, CX", "needs BMI2"},
		{"aAVX2", "VADDPS Y0, Y1, Y15", ""},
		{"aAVX2", "VPADDD (AX)(BX*8), Y1, Y2", ""},
		{"aAVX2", "VFMADD231PD Y0, Y1, Y2", ""},
		{"aAVX2", "VADDPS Y0, Y1, Y16", "needs AVX512F"},
		{"aAVX2", "VCVTPD2PSY Y0, X16", "no list has VCVTPD2PSY"},
		{"aAVX2", "VCVTPD2PS Y0, X16", "needs AVX512F"},
		{"aAVX2", "VPSRLD $1, X31, X1", "needs AVX512F"},
		{"aAVX2", "VPTERNLOGD $0xff, Y0, Y0, Y0", "needs AVX512F"},
		{"aAVX2", "VPXORQ X0, X0, X0", "needs AVX512F"},
		{"aAVX2", "VMOVDQU64 (AX), Y0", "needs AVX512F"},
		{"aAVX2", "VADDPS Z0, Z1, Z2", "needs AVX512F"},
		{"aAVX2", "VMOVUPS.Z (AX), K1, Y2", "needs AVX512F"},
		{"aAVX2", "VPDPBUSD Y0, Y1, Y2", "needs AVX512VNNI"},
		{"aAVX2", "KMOVW K1, AX", "needs AVX512F"},
		{"aAVX2", "BZHIL AX, BX, CX", "needs BMI2"},
		{"aAVX2", "VPGATHERDD (AX)(Y1*4), Y2, Y3", "no list has VPGATHERDD"},
		{"aAVX512", "VADDPS Y0, Y1, Y16", ""},
		{"aAVX512", "BZHIL AX, BX, CX", ""},
		{"aAVX512", "VPDPBUSD Z0, Z1, Z2", "needs AVX512VNNI"},
		{"aVNNI", "VPDPBUSD Z0, Z1, Z2", ""},
		{"aVNNI", "VPERMB Z0, Z1, Z2", "no list has VPERMB"},
	} {
		functions, err := readAssembly("// Requires: AVX512F\nTEXT ·" + c.function + "(SB), NOSPLIT, $0-0\n\t" + c.line + "\n\tRET\n")
		if err != nil {
			t.Fatal(err)
		}
		functions[0].requires = nil
		problems := functions[0].check()
		if found := len(problems) > 0 && strings.Contains(problems[0], c.want); c.want == "" && len(problems) > 0 || c.want != "" && !found {
			t.Errorf("%s with %s: got %q, want %q", c.function, c.line, problems, c.want)
		}
	}
	counted := assemblyFunction{name: "aAVX2", requires: []string{"AVX", "FMA3", "MMX+", "AVX512VL"}}
	if problems := counted.check(); len(problems) != 1 || !strings.Contains(problems[0], "counts AVX512VL") {
		t.Errorf("a function of which the generator counts AVX512VL: got %q", problems)
	}
	for _, text := range []string{"TEXT ·a(SB), NOSPLIT, $0-0\n\tADDQ AX, BX; RET", "#define X\n", "\tRET", "TEXT ·a(SB), NOSPLIT, $0-0\n\tBYTE $0x62\n\tbyte"} {
		if _, err := readAssembly(text); err == nil {
			t.Errorf("%q: want a line that is refused", text)
		}
	}
}

// TestLevelsAreGuaranteedByFeatures wants every feature of the lists of mnemonics in the table of levels, and every
// level's features in the lists, so that nothing is asked for that no kernel uses.
func TestLevelsAreGuaranteedByFeatures(t *testing.T) {
	used := map[string]bool{}
	for _, file := range readAllAssembly(t) {
		for _, f := range file {
			for _, s := range f.statements {
				features, err := s.needs()
				if err != nil {
					t.Error(err)
				}
				for _, feature := range features {
					used[feature] = true
				}
			}
		}
	}
	for level, l := range levels {
		for _, feature := range l.features {
			if !used[feature] {
				t.Errorf("level %v asks for %s, which no kernel uses", instructions(level), feature)
			}
		}
	}
}
