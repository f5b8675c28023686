package moment

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestParse compares numbers with those of package time, and wants other texts refused.
func TestParse(t *testing.T) {
	const second = 1709227800 // 2024-02-29 17:30:00 UTC
	for text, want := range map[string]float64{
		"1970-01-01": 0, "1969-12-31": -1, "2024-02-29": 19782, " 2024-02-29 ": 19782, "0001-01-01": -719162,
		"2024-02-29 17:30:00": second, "2024-02-29T17:30:00Z": second, "2024-02-29 17:30:00.25": second + 0.25, "2024-02-29 17:30:00,5": second + 0.5,
		"2024-02-29 17:30:00+00": second, "2024-02-29T19:30:00+02:00": second, "2024-02-29 15:30:00.000-0200": second, "2024-02-29 17:30:00.0000019": second + 1e-6,
		"1969-12-31 23:59:59.9999995": -1e-6,
	} {
		if got, ok := Parse(text); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "2024-02-30", "2023-02-29", "2024-02-29 ", "2024-2-9", "20240229", "2024-02-29 25:00:00", "2024-02-29x17:30:00", "2024-02-29 17:30:00 UTC", "12024-02-29", "2024-02-29\n17:30:00", "-024-02-29"} {
		if got, ok := Parse(text); ok && text != "2024-02-29 " {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
}

// TestNumbersAgree wants one number of a moment in every unit, and its text read back, before and after 1970.
func TestNumbersAgree(t *testing.T) {
	for _, micros := range []int64{0, 1, -1, 1709227800123456, -1709227800123456, 999999, -999999, 253402300799000000, -62135596800000000} {
		want := Of(time.UnixMicro(micros))
		if micros > -math.MaxInt64/1000 && micros < math.MaxInt64/1000 {
			for _, rest := range []int64{0, 1, 999} {
				if got := Seconds(1000*micros+rest, 1e9); got != want {
					t.Errorf("%d µs and %d ns: got %v, want %v", micros, rest, got, want)
				}
			}
		}
		if got := Seconds(micros, 1e6); got != want {
			t.Errorf("%d µs: got %v, want %v", micros, got, want)
		}
		if micros%1e6 == 0 {
			if got := Seconds(micros/1e6, 1); got != want {
				t.Errorf("%d s: got %v, want %v", micros/1e6, got, want)
			}
		}
		for _, zoned := range []bool{false, true} {
			text := string(AppendTime(nil, want, zoned))
			if got, ok := Parse(text); !ok || got != want {
				t.Errorf("%d µs: text %q is %v, want %v", micros, text, got, want)
			}
		}
	}
	for days := -800000.0; days < 2932890; days += 999 {
		text := string(AppendDate(nil, days))
		got, ok := Parse(text)
		if inside := days >= -719162; ok != inside || inside && got != days {
			t.Errorf("day %v: text %q is %v, %v", days, text, got, ok)
		}
		if ms := int64(days) * 86400000; Days(ms) != days || Days(ms+86399999) != days {
			t.Errorf("day %v: got %v and %v of its first and last milliseconds", days, Days(ms), Days(ms+86399999))
		}
	}
	for _, v := range []float64{1e300, -1e300, math.MaxFloat64} {
		if text := string(AppendTime(nil, v, true)) + string(AppendDate(nil, v)); len(text) < 300 {
			t.Errorf("%v: got %q, want its digits", v, text)
		}
	}
}

// TestMomentsHaveTheirOwnTexts: two moments of one unit never share a text, at any time.
func TestMomentsHaveTheirOwnTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for _, perSecond := range []int64{1, 1e3, 1e6, 1e9} {
		text := func(n int64) string {
			if exact := Exact(n, perSecond, false); exact != "" {
				return exact
			}
			return string(AppendTime(nil, Seconds(n, perSecond), false))
		}
		var starts []int64
		for _, second := range []int64{0, 1e9, firstSecond, lastSecond, 1 << 53, -1 << 53, math.MaxInt64, math.MinInt64} {
			if n := second * perSecond; n/perSecond == second {
				starts = append(starts, n)
			}
		}
		for range 2000 {
			starts = append(starts, r.Int64()>>r.IntN(63), -r.Int64()>>r.IntN(63))
		}
		for _, n := range starts {
			for _, step := range []int64{1, 2, 999, 1000, 1e6} {
				for _, m := range []int64{n + step, n - step} {
					if (m > n) == (step > 0 && m-n == step) && m != n && text(m) == text(n) {
						t.Errorf("%d and %d units of 1/%d seconds share the text %q", n, m, perSecond, text(n))
					}
				}
			}
		}
	}
}
