//go:build netbsd || openbsd

package chain

import "errors"

// checkLocal refuses: where the disk is has not been asked of these systems.
func checkLocal(string) error {
	return errors.New("this system does not say whether a folder is on another machine: want a PostgreSQL ledger")
}
