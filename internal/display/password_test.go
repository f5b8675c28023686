package display_test

import (
	"testing"

	"github.com/ditherml/dither/internal/display"
)

// TestRedact wants no password in a text, and the rest as it is.
func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://u:s3cret@host/db":                    "postgres://u:***@host/db",
		"cannot use postgres://u:s3:c@r@host/db?a=b: no": "cannot use postgres://u:***@host/db?a=b: no",
		"postgres://u@host/db?password=s3cret&x=1":       "postgres://u@host/db?password=***&x=1",
		"host=h password='s3 cret' user=u":               "host=h password=*** user=u",
		"sslpassword=s3cret":                             "sslpassword=***",
		"postgres://u@host:5432/db?table=a":              "postgres://u@host:5432/db?table=a",
		"see https://example.org/a:b@c":                  "see https://example.org/a:b@c",
		"postgres://u:hun/ter2@h/d":                      "postgres://u:***@h/d",
		"Postgres://u:a@b?c#d@h/d":                       "Postgres://u:***@h/d",
		"host=h password = s3cret user=u":                "host=h password = *** user=u",
		"PGPASSWORD=s3cret dither":                       "PGPASSWORD=*** dither",
		"mail a@b.c: d":                                  "mail a@b.c: d",
	} {
		if got := display.Redact(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
