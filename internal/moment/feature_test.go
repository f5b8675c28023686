package moment

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestMicros compares moments with those of package time, and wants other texts refused.
func TestMicros(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		at := time.UnixMicro(firstSecond*1e6 + random.Int64N((lastSecond-firstSecond)*1e6)).UTC()
		zone := at.In(time.FixedZone("", 60*(random.IntN(2*24*60-1)-24*60+1)))
		texts := []string{at.Format("2006-01-02 15:04:05.999999"), at.Format("2006-01-02T15:04:05.000000") + "999Z"}
		if zone.Year() > 0 && zone.Year() < 10000 {
			texts = append(texts, zone.Format("2006-01-02 15:04:05.999999-07:00"), zone.Format("2006-01-02T15:04:05.999999-0700"))
		}
		if old := at.In(time.FixedZone("", random.IntN(24*3600))); old.Year() < 10000 {
			texts = append(texts, old.Format("2006-01-02 15:04:05.999999-07:00:00"))
		}
		for _, text := range texts {
			if got, ok := Micros(text); !ok || got != at.UnixMicro() {
				t.Fatalf("%q: got %d, %v, want %d", text, got, ok, at.UnixMicro())
			}
		}
		day := at.Truncate(24 * time.Hour)
		if got, ok := Micros(day.Format(time.DateOnly)); !ok || got != day.UnixMicro() {
			t.Fatalf("%v: got %d, %v, want %d", day, got, ok, day.UnixMicro())
		}
	}
	if got, ok := Micros("1970-01-01 00:00:00-05:53:28"); !ok || got != 21208e6 {
		t.Errorf("got %d, %v, want 5 hours, 53 minutes and 28 seconds", got, ok)
	}
	for _, zone := range []string{"+", "+1", "+01:", "+010", "+01:0", "+01:00:", "+01:00:0", "+01:00:60", "+010000", "+0100:00", "+01:0000", "+24", "+01:60", "+01:00:00:00", " +01", "Z+01", "z", "+0१"} {
		if got, ok := Micros("2024-02-29 17:30:00" + zone); ok {
			t.Errorf("zone %q: got %d, want none", zone, got)
		}
	}
}

// FuzzMicros wants package time to give the same moment to every text that Micros reads.
func FuzzMicros(f *testing.F) {
	for _, text := range []string{"2024-02-29", "2023-02-29", "2024-02-29 17:30:00.25", "2024-02-29T17:30:00,1234567Z", "2024-02-29 17:30:00+01", "2024-02-29 17:30:00-0130", "2024-02-29 17:30:00+23:59", "2024-02-29 17:30:00+05:53:28", "0001-01-01", "9999-12-31 23:59:59", "2024-02-29 17:30:60", "2024-00-01"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		micros, ok := Micros(text)
		if !ok {
			return
		}
		for _, layout := range []string{"", " 15:04:05", "T15:04:05"} {
			for _, zone := range []string{"", "Z07", "Z07:00", "Z0700", "-07:00:00"} {
				if at, err := time.Parse(time.DateOnly+layout+zone, text); err == nil {
					if at.UnixMicro() != micros {
						t.Errorf("%q: got %d, want %d", text, micros, at.UnixMicro())
					}
					return
				}
			}
		}
		t.Errorf("%q: got %d, want no moment", text, micros)
	})
}

// TestFeatures compares days and levels with package time, within and beyond the range.
func TestFeatures(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	since := time.Date(2019, 12, 31, 0, 0, 0, 0, time.UTC)
	f := Feature{Column: "c", Since: since.Unix() / daySeconds, Bounded: true, Lower: -400.5, Upper: 800, Parts: PartNames()}
	for range 5000 {
		at := since.Add(time.Duration(random.Int64N(4000*24*3600*1e6)-2000*24*3600*1e6) * time.Microsecond)
		days := at.Sub(since).Hours() / 24
		if got := f.Days(at.UnixMicro()); got-days > 1e-9 || days-got > 1e-9 || f.Outside(at.UnixMicro()) != (got < -400.5 || got > 800) {
			t.Errorf("%v: got %v days, want %v", at, got, days)
		}
		for part, want := range map[string]string{Year: strconv.Itoa(max(2018, min(2022, at.Year()))), Month: strconv.Itoa(int(at.Month())), Weekday: at.Weekday().String(), Hour: strconv.Itoa(at.Hour())} {
			own := f
			own.Part = part
			if levels := own.Levels(); !own.Fits(levels) || own.Fits(levels[1:]) || own.Fits(append(levels[1:], "x")) {
				t.Fatalf("%s: other levels fit than %q", part, levels)
			}
			if got := own.Levels()[own.Level(at.UnixMicro())]; got != want {
				t.Errorf("%v: %s is %s, want %s", at, part, got, want)
			}
		}
	}
	for i := range 101 {
		if micros, ok := Micros(f.Example(float64(i) / 100)); !ok || f.Outside(micros) {
			t.Errorf("example %d is %s, want a moment in the range", i, f.Example(float64(i)/100))
		}
	}
	if !slices.Equal((&Feature{Part: Hour}).Levels(), []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23"}) {
		t.Error("got other hours, want 0 to 23")
	}
}
