// Command asm writes the assembly of the kernels of package kernel. It is a module of
// its own, so that the generator is no requirement of whoever uses or builds dither.
//
// Usage: go run . folder
//
// It writes one file for each line of the table below to the folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// files is the table of what is written: NAME_amd64.s holds the kernels that the function adds.
var files = []struct {
	name    string
	kernels func(c *build.Context)
}{
	{"whole", whole},
	{"whole_long", wholeLong},
	{"whole_product", wholeProduct},
	{"whole_round", wholeRound},
	{"rows", rows},
	{"vecmath", vectorFunctions},
	{"gemm", gemm},
	{"records", records},
	{"gather", gather},
	{"rotate", rotate},
	{"single", singles},
	{"turned", turns},
	{"double_rows", doubleRows},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . folder")
		os.Exit(2)
	}
	for _, f := range files {
		text, err := generate(f.kernels)
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], f.name+"_amd64.s"), text, 0o644)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "asm: %s: %v\n", f.name, err)
			os.Exit(1)
		}
	}
}

// generate returns the text of an assembly file.
func generate(kernels func(c *build.Context)) ([]byte, error) {
	c := build.NewContext()
	c.ConstraintExpr("!noasm")
	kernels(c)
	file, err := c.Result()
	if err != nil {
		return nil, err
	}
	if err = pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	config := printer.Config{Name: "kernel/internal/asm", Pkg: "kernel"}
	return printer.NewGoAsm(config).Print(file)
}
