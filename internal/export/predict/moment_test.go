package predict

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/moment"
)

var _ Time = time.Time{}

// wantMoment compares the moment of a text with that of package moment.
func wantMoment(t *testing.T, text string) {
	t.Helper()
	want, ok := moment.Micros(strings.TrimSpace(text))
	got := Moment(text)
	if ok != (got != nil) || ok && (got.UnixMicro() != want || got.IsZero()) {
		t.Errorf("%q: got %v, want %d and %v", text, got, want, ok)
	}
}

// TestMoments compares texts with package moment: all days of some centuries, and texts made of pieces with faults.
func TestMoments(t *testing.T) {
	for day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 10000; day = day.AddDate(0, 0, 1) {
		if y := day.Year(); y < 402 || y > 1890 && y < 2110 || y > 9990 {
			wantMoment(t, day.Format(time.DateOnly))
		}
	}
	random := rand.New(rand.NewPCG(9, 10))
	one := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	read := 0
	for range 300_000 {
		text := one("0000", "0001", "1900", "1970", "2000", "2023", "2024", "9999", "10000", "-001", "+024", "20a4") + one("-", "-", "-", "-", "/") + one("00", "01", "02", "02", "04", "11", "12", "13", "1", "+1") + "-" + one("00", "01", "28", "29", "30", "31", "32", "3")
		if random.IntN(4) > 0 {
			text += one(" ", "T", "T", "t", "  ", "") + one("00", "09", "23", "24", "7") + one(":", ":", ":", "") + one("00", "59", "60") + ":" + one("00", "59", "60") + one("", "", "", ".", ",5", ".25", ".999999", ".9999999", ".000000000001")
			text += one("", "", "Z", "z", " Z", "+00", "-00:00", "+01:00", "+0100", "-23:59", "+24", "+05:53:28", "-05:53:28", "+055328", "+05:53:60", "+1", "+01:", "-01:60", " UTC", "+01:0", "+01:000", "+0100:00", "+01:00:00:00", "-", "+", "+01-00", "+01:00-00")
		}
		if random.IntN(8) == 0 {
			at := random.IntN(len(text) + 1)
			text = text[:at] + one("0", "-", ":", " ", "é", "Z", "+") + text[min(len(text), at+random.IntN(2)):]
		}
		wantMoment(t, text)
		if Moment(text) != nil {
			read++
		}
	}
	if read < 5000 {
		t.Errorf("%d texts are moments, want more", read)
	}
}

// TestPartsOfMoments compares parts with package time, also beyond the years with texts.
func TestPartsOfMoments(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for i := range 300_000 {
		at := time.UnixMicro(random.Int64() >> (i % 20) * int64(1-2*(i/20%2))).UTC()
		if i%4 == 0 { // the first and last moments of days
			at = at.Truncate(24 * time.Hour).Add(time.Duration(-(i / 4 % 2)) * time.Microsecond)
		}
		if yearOf(at) != at.Year() || monthOf(at) != int(at.Month()) || weekdayOf(at) != (int(at.Weekday())+6)%7 || hourOf(at) != at.Hour() {
			t.Fatalf("%v: got year %d, month %d, weekday %d and hour %d", at, yearOf(at), monthOf(at), weekdayOf(at), hourOf(at))
		}
		f := moment.Feature{Since: int64(random.IntN(100_000) - 50_000)}
		if got, want := daysSince(f.Since, at), f.Days(at.UnixMicro()); got != want {
			t.Fatalf("%v: got %v days, want %v", at, got, want)
		}
	}
}

// FuzzMoment compares any text with package moment.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2024-02-29", "2024-02-29T17:30:00.25Z", "1900-01-01 00:00:00+05:53:28"} {
		f.Add(text)
	}
	f.Fuzz(wantMoment)
}
