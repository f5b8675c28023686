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
}

// FuzzMicros wants Parse to give the number of every text that Micros reads.
func FuzzMicros(f *testing.F) {
	for _, text := range []string{"2024-02-29", "2023-02-29", "2024-02-29 17:30:00.25", "2024-02-29T17:30:00,1234567Z", "2024-02-29 17:30:00+01", "2024-02-29 17:30:00-0130", "2024-02-29 17:30:00+23:59", "0001-01-01", "9999-12-31 23:59:59", "2024-02-29 17:30:60", "2024-00-01"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		micros, ok := Micros(text)
		if !ok {
			return
		}
		v, is := Parse(text)
		want := float64(micros) / 1e6
		if len(text) == len(time.DateOnly) {
			want /= daySeconds
		}
		if !is || v != want {
			t.Errorf("%q: got %d, but Parse gives %v, %v", text, micros, v, is)
		}
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
