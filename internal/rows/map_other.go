//go:build !linux

package rows

import "io/fs"

// identity is nothing where files are not held.
type identity struct{}

func identityOf(fs.FileInfo) identity { return identity{} }

// heldFile is a file that the operating system keeps from being written to. Here there is none.
type heldFile struct{}

func holdFile(fs.File, int64) *heldFile { return nil }

func (h *heldFile) Still() bool { return false }

func (h *heldFile) view(*Pace) *view { return nil }

func (h *heldFile) Cached(_, _ int) bool { return false }

func giveBack([]byte) {}

func unmap([]byte) error { return nil }
