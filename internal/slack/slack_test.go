package slack

import "testing"

func TestDistanceIsWidenedBothWays(t *testing.T) {
	s := Of(1 << 30)
	if s.LogRatio <= 0 || s.LogRatio > 1e-21 || s.Tail <= 0 || s.Tail > 1e-44 {
		t.Errorf("slack of 2^30 draws: got %+v", s)
	}
	epsilon, delta := s.Narrow(1, 1e-6)
	if epsilon >= 1 || delta >= 1e-6 {
		t.Errorf("narrowed to (%v, %v), want less than (1, 1e-6)", epsilon, delta)
	}
	if e, d := s.Widen(epsilon, delta); e < 1 || e > 1+1e-15 || d < 1e-6*(1-1e-14) || d > 1e-6*(1+1e-14) {
		t.Errorf("widened back to (%v, %v), want at most (1, 1e-6)", e, d)
	}
	if Of(0) != (Distance{}) {
		t.Error("no draws have slack")
	}
}
