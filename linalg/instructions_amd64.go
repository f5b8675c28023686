//go:build amd64 && !noasm

package linalg

import "golang.org/x/sys/cpu"

// available is the best set that the processor has and the operating system saves. It is
// found once and never changes. Kernels that need more than it says look further.
var available = detect()

func detect() instructions {
	switch {
	case cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ:
		return avx512
	case cpu.X86.HasAVX2:
		return avx2
	}
	return portable
}
