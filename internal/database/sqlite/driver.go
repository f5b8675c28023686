//go:build !nosqlite && ((linux && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)) || darwin || windows || (freebsd && (amd64 || arm64)))

package sqlite

import _ "modernc.org/sqlite" // the driver registers itself
