//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// identity is the user whose processes a server's are: another one than root, which PostgreSQL refuses.
type identity struct{ credential *syscall.Credential }

// owner returns who runs a server in a folder, and gives them the folder.
func owner(folder string) (identity, error) {
	if os.Getuid() != 0 {
		return identity{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		if err := os.Chown(folder, int(uid), int(gid)); err != nil {
			return identity{}, err
		}
		return identity{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, os.Chmod(folder, 0o755)
	}
	return identity{}, errors.New("this is root, and there is no user postgres or nobody to run a server")
}

func (i identity) apply(c *exec.Cmd) {
	if i.credential != nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: i.credential}
	}
}
