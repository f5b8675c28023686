//go:build !unix

package pgtest

import (
	"errors"
	"os/exec"
)

type identity struct{}

func owner(string) (identity, error) {
	return identity{}, errors.New("servers of tests are started on Unix only")
}

func (identity) apply(*exec.Cmd) {}
