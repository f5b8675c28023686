package postgres_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/internal/pgtest"
)

// TestWritersDoNotMix wants the rows of one writer where two write into one empty table at once. It
// wants no cell in the error of a trigger.
func TestWritersDoNotMix(t *testing.T) {
	server := pgtest.Start(t, "default_transaction_isolation='repeatable read'")
	run(t, server, "CREATE TABLE shared (x float8)", "CREATE TABLE guarded (x text)",
		"CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '42703', MESSAGE = NEW.x; END $$",
		"CREATE TRIGGER tell BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION tell()")
	write := func(table, kind string, fill func(io.Writer) error) error {
		address, err := postgres.Parse(server.URL("table", table))
		if err != nil {
			return err
		}
		return postgres.Write(background, address, false, []postgres.Field{{Name: "x", Type: kind}}, fill)
	}
	text := func(w io.Writer) error {
		_, err := io.WriteString(w, "x\n1\n")
		return err
	}
	watch, err := pgx.Connect(background, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close(background)
	second, began := make(chan error, 1), make(chan struct{})
	err = write("shared", "float8", func(w io.Writer) error {
		go func() {
			second <- write("shared", "float8", func(w io.Writer) error {
				close(began)
				return text(w)
			})
		}()
		for { // until the second writer waits for the first, or has passed its checks
			select {
			case <-began:
				return text(w)
			default:
			}
			var waits bool
			if failed := watch.QueryRow(background, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)").Scan(&waits); failed != nil || waits {
				return errors.Join(failed, text(w))
			}
		}
	})
	if other := <-second; (err == nil) == (other == nil) {
		t.Errorf("got %v and %v, want one writer refused", err, other)
	}
	err = write("guarded", "text", func(w io.Writer) error {
		_, failed := io.WriteString(w, "x\nsecret\n")
		return failed
	})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want an error without the cell", err)
	}
}
