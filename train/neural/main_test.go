package neural

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets garbage wait, since tests are many and short. Benchmarks have the garbage collector of users.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
