package repocheck

import (
	"fmt"
	"io/fs"
	"os"
	"testing"
)

// TestMain runs the tests in the root of the repository, so that all paths count from there.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// rootFS returns the files of the repository. It changes to the folder in which the tests run already, so that the go
// command notes the folder: it keeps results of tests until a file changes that they read, and it does not see TestMain.
func rootFS() fs.FS {
	if err := os.Chdir("."); err != nil {
		panic(err)
	}
	return os.DirFS(".")
}

// readRoot returns the content of a file of the repository.
func readRoot(name string) ([]byte, error) { return fs.ReadFile(rootFS(), name) }
