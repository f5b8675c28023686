//go:build duckdb && cgo

package duckdb

import _ "github.com/duckdb/duckdb-go/v2" // the driver registers itself
