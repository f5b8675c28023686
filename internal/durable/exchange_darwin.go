package durable

import "golang.org/x/sys/unix"

func exchange(a, b string) error {
	return unix.RenamexNp(a, b, unix.RENAME_SWAP)
}

func renameNew(from, to string) error {
	return unix.RenamexNp(from, to, unix.RENAME_EXCL)
}

// lacking are the errors of file systems that have neither step.
var lacking = []error{unix.EINVAL, unix.ENOSYS, unix.ENOTSUP}
