package kernel

import (
	"fmt"
	"os"
	"strings"
)

// instructions is a level of the processor: a set of instructions that kernels are written for.
// Each level includes the levels before it.
type instructions uint8

const (
	portable   instructions = iota // the Go compiler's instructions on any processor
	avx2                           // amd64 from Haswell and Zen on
	avx512                         // amd64 from Skylake-X and Zen 4 on
	avx512VNNI                     // amd64 from Cascade Lake and Zen 4 on
)

// levels is the table of all levels. A name is a value of DITHER_PROCESSOR and of Instructions.
// Kernels of a level use only features of that level and the levels before it; a test reads their
// assembly.
var levels = [...]struct {
	name     string
	features []string
}{
	portable:   {name: "portable"},
	avx2:       {"avx2", []string{"AVX", "AVX2", "FMA"}},
	avx512:     {"avx512", []string{"AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL", "BMI2"}},
	avx512VNNI: {"avx512-vnni", []string{"AVX512VNNI"}},
}

func (s instructions) String() string { return levels[s].name }

// processorVariable is the environment variable that lowers the level, for tests and for support.
const processorVariable = "DITHER_PROCESSOR"

// available is the level in use. It is found once and never changes.
var available = mustChoose(os.Getenv(processorVariable), offered())

// mustChoose ends the program if the variable has a value that cannot be obeyed. Go's runtime does
// the same on a processor that it cannot run on.
func mustChoose(value string, best instructions) instructions {
	level, err := choose(value, best)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return level
}

// choose returns the level that the variable names, or the best level if it is empty. An unknown
// level, or one above the best, is an error.
func choose(value string, best instructions) (instructions, error) {
	if value == "" {
		return best, nil
	}
	var names []string
	for level := range levels {
		if instructions(level) > best {
			break
		}
		if names = append(names, levels[level].name); levels[level].name == value {
			return instructions(level), nil
		}
	}
	for _, level := range levels[best:] {
		if level.name == value {
			return portable, fmt.Errorf("kernel: %s is %s, want %s, the levels that processor, system and build have; a level can be lowered only",
				processorVariable, value, oneOf(names))
		}
	}
	names = names[:0]
	for _, level := range levels {
		names = append(names, level.name)
	}
	return portable, fmt.Errorf("kernel: %s is %q, want %s", processorVariable, value, oneOf(names))
}

// oneOf joins names by commas and a last "or".
func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Instructions returns the name of the level of processor instructions in use: "portable", "avx2",
// "avx512" or "avx512-vnni". It is the best level whose features the processor has and whose
// registers the operating system saves. The environment variable DITHER_PROCESSOR can name a lower
// level. With any other value the program ends with status 2 before main. The level changes no
// exact result.
func Instructions() string { return available.String() }

// Levels returns the names of the levels that this process could use, from portable to the best.
func Levels() []string {
	var names []string
	for level := portable; level <= offered(); level++ {
		names = append(names, level.String())
	}
	return names
}
