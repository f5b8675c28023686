package postgres

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// TestUnreachable: a server that does not run is said on one line, with what to check.
func TestUnreachable(t *testing.T) {
	l, err := Parse("postgres://anna@127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), l)
	var refused *net.OpError
	if err == nil || strings.ContainsAny(err.Error(), "\n\t") || !strings.Contains(err.Error(), "check host, port and user") || !errors.As(err, &refused) {
		t.Errorf("got %v, want one line that says what to check, and the error of the network", err)
	}
}
