//go:build !mpi || !cgo || !unix

package ranks

import "errors"

// Connect returns this process's rank among those that mpirun or srun started, in builds with the tag mpi. In others
// it returns an error.
func Connect(...Option) (Transport, error) {
	return nil, alike{errors.New("this build of dither has no MPI, want a build with cgo and the tag mpi; in a checkout: CC=mpicc CGO_ENABLED=1 go build -tags mpi ./cmd/dither")}
}

// Built returns the MPI library of this build and its version, such as "Open MPI 4.1.4", or "".
func Built() string { return "" }
