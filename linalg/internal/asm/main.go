// Command asm writes the assembly of the kernels of package linalg. It is a module of
// its own, so that the generator is no requirement of whoever uses or builds dither.
//
// Usage: go run . [file]
//
// Without a file the assembly goes to the standard output.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	text, err := generate()
	if err == nil && len(os.Args) > 1 {
		err = os.WriteFile(os.Args[1], text, 0o644)
	} else if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "asm:", err)
		os.Exit(1)
	}
}

// generate returns the text of the assembly file.
func generate() ([]byte, error) {
	c := build.NewContext()
	c.ConstraintExpr("!noasm")
	for _, rows := range []int{1, 4} {
		kernel(c, avx512, rows)
	}
	for _, rows := range []int{1, 4} {
		kernel(c, avx2, rows)
	}
	file, err := c.Result()
	if err != nil {
		return nil, err
	}
	if err = pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	config := printer.Config{Name: "linalg/internal/asm", Pkg: "linalg"}
	return printer.NewGoAsm(config).Print(file)
}
