package main

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/spf13/pflag"
)

// choose replaces the method auto by one that suits what is public, and says which and why.
func (t *trainCommand) choose(s *data.Schema, r train.Request) error {
	if t.method.name != erm.MethodAuto {
		return nil
	}
	chosen, err := t.method.recommend(s, r)
	if err != nil {
		return err
	}
	t.method.name, t.method.auto = chosen.Method, true
	_, err = fmt.Fprintf(t.stderr, "method %s: %s\n", chosen.Method, chosen.Reason)
	return err
}

// recommend leaves the choice to package erm, unless a flag or the schema asks for what descent has.
func (m *methodFlags) recommend(s *data.Schema, r train.Request) (erm.Recommendation, error) {
	var asked string
	m.flags.Visit(func(f *pflag.Flag) {
		descent := slices.Contains(descentFlags, f.Name) || slices.Contains(ownFlags[f.Name], train.MethodGD)
		if descent && asked == "" {
			asked = "--" + f.Name
		}
	})
	if len(s.Private()) > 0 && asked == "" {
		asked = "a column with private bounds or levels"
	}
	if asked != "" {
		return erm.Recommendation{Method: train.MethodGD, Reason: asked + " is for descent"}, nil
	}
	return erm.Recommend(m.request(r), s)
}
