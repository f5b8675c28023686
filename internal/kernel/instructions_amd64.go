//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

// offered returns the best level whose features the processor has. Every level above portable needs
// AVX. Package cpu reports AVX and AVX-512 only if XCR0 shows that the operating system saves their
// registers.
func offered() instructions {
	best := portable
	for level := range levels {
		for _, feature := range levels[level].features {
			if !hasFeature(feature) {
				return best
			}
		}
		best = instructions(level)
	}
	return best
}

// hasFeature reports whether the processor has a feature of the table of levels.
func hasFeature(name string) bool {
	x := &cpu.X86
	switch name {
	case "AVX":
		return x.HasAVX
	case "AVX2":
		return x.HasAVX2
	case "FMA":
		return x.HasFMA
	case "BMI2":
		return x.HasBMI2
	case "AVX512F":
		return x.HasAVX512F
	case "AVX512BW":
		return x.HasAVX512BW
	case "AVX512DQ":
		return x.HasAVX512DQ
	case "AVX512VL":
		return x.HasAVX512VL
	case "AVX512VNNI":
		return x.HasAVX512VNNI
	}
	panic("kernel: nothing asks the processor for " + name)
}
