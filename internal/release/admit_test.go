package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// wildInt returns an integer of any size, often next to a power of two or at an end.
func wildInt(r *rand.Rand) int64 {
	switch r.IntN(6) {
	case 0:
		return int64(r.Uint64()) >> r.IntN(64)
	case 1:
		return 1<<r.IntN(63) - int64(r.IntN(3))
	case 2:
		return int64(r.IntN(3)) - 1<<r.IntN(63)
	case 3:
		return int64(r.IntN(3) - 1)
	case 4:
		return math.MinInt64
	}
	return math.MaxInt64
}

// wildResidue returns a number below the prime, often at an end.
func wildResidue(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return prime - 1 - uint64(r.IntN(3))
	case 1:
		return uint64(r.IntN(3))
	}
	return r.Uint64N(prime)
}

// wildProposals returns proposals around the limit of a record with this squared norm, now and then
// no integers, or no numbers.
func wildProposals(r *rand.Rand, limit, n2 int64, columns int) []float64 {
	q := make([]float64, columns)
	longest := float64(limit) / math.Sqrt(float64(max(1, n2))*float64(columns))
	for k := range q {
		f := math.Floor(longest) * []float64{0, 0.5, 1, 1}[r.IntN(4)]
		if n2 == 0 && r.IntN(20) > 0 {
			f = 0
		}
		switch r.IntN(200) {
		case 0:
			f++
		case 1:
			f = math.Nextafter(longest, math.Inf(1))
		case 2:
			f = math.NaN()
		case 3:
			f = math.Inf(1)
		case 4:
			f = 1 << 53
		case 5:
			f = math.MinInt64
		case 6:
			f += 0.75
		case 7:
			f = 1e-170
		case 8:
			f = float64(wildInt(r))
		}
		q[k] = f * float64(1-2*r.IntN(2))
	}
	return q
}

// edgeRow returns integers that are all alike, and the squared norm with which they are within the
// limit by as little as there is, or beyond it. Where many columns are alike, the roundings of their
// sum of squares are too.
func edgeRow(r *rand.Rand, limit int64, columns int) (q []float64, n2 int64) {
	f := r.Int64N(1 << (1 + r.IntN(40)))
	square := big.NewInt(max(1, f))
	square.Mul(square, square).Mul(square, big.NewInt(int64(columns)))
	most := square.Div(new(big.Int).Mul(big.NewInt(limit), big.NewInt(limit)), square)
	if !most.IsInt64() {
		return make([]float64, columns), 1
	}
	return slices.Repeat([]float64{float64(f)}, columns), min(most.Int64(), math.MaxInt64-1) + r.Int64N(2)
}

// TestAdmitIsItsDefinition hands admit blocks of records around every limit. It admits a block if
// and only if the integers of each record hold the bound in big integers, each is below 2^53, and
// each row entered. Then each column notes Σ q·h.
func TestAdmitIsItsDefinition(t *testing.T) {
	r, admitted, refused := rand.New(rand.NewPCG(3, 99)), 0, 0
	for trial := range plantedTrials(5000, 200000) {
		n, columns, limit := 1+r.IntN(70), 1+r.IntN(4)*r.IntN(2), max(0, wildInt(r)>>r.IntN(30))&(1<<60-1)
		if trial%8 == 0 {
			n, columns = 1, 1+r.IntN(700)
			if r.IntN(2) == 0 {
				limit = 1<<52 - r.Int64N(9)
			}
		}
		s := &Sum{columns: columns, limit: limit, notes: make([]uint64, columns)}
		known, b := &entered{n2: make([]int64, n), mixes: make([]uint64, n)}, Block{rows: &Rows{}, n: n}
		record, column := columns, 1
		if b.rows.known = known; r.IntN(2) == 0 {
			record, column = 1, n
		}
		notes, q, want := make([]big.Int, columns), make([]float64, n*columns), true
		for i := range n {
			known.n2[i], known.mixes[i] = 1+r.Int64N(1<<r.IntN(58)), wildResidue(r)
			switch r.IntN(400) {
			case 0:
				known.n2[i] = wildInt(r)
			case 1:
				known.mixes[i] = notEntered
			case 2, 3, 4, 5:
				known.n2[i] = 0
			}
			own := wildProposals(r, limit, known.n2[i], columns)
			if trial%8 == 0 || r.IntN(8) == 0 {
				own, known.n2[i] = edgeRow(r, limit, columns)
			}
			var square big.Int
			for k, f := range own {
				q[i*record+k*column] = f
				v := big.NewInt(int64(f))
				want = want && v.CmpAbs(big.NewInt(2*maxCoefficient)) < 0
				square.Add(&square, new(big.Int).Mul(v, v))
				notes[k].Add(&notes[k], v.Mul(v, new(big.Int).SetUint64(known.mixes[i])))
			}
			want = want && known.n2[i] >= 0 && known.mixes[i] < prime && (known.n2[i] > 0 || square.Sign() == 0)
			want = want && square.Mul(&square, big.NewInt(known.n2[i])).Cmp(new(big.Int).Mul(big.NewInt(limit), big.NewInt(limit))) <= 0
			if r.IntN(2) == 0 && i == 0 {
				b.records = make([]int, n)
				for k := range b.records {
					b.records[k] = k
				}
			}
		}
		if err := s.admit(q, record, column, &b); (err == nil) != want {
			t.Fatalf("limit %d, norms %v: %v has error %v, want it admitted: %v", limit, known.n2, q, err, want)
		}
		if refused++; want {
			admitted, refused = admitted+1, refused-1
			for k, note := range s.notes {
				if sum := notes[k].Mod(&notes[k], big.NewInt(prime)).Uint64(); sum != note {
					t.Fatalf("column %d of %v notes %d, want %d", k, q, note, sum)
				}
			}
		}
	}
	if admitted < 500 || refused < 500 {
		t.Errorf("%d blocks are admitted and %d refused, want more", admitted, refused)
	}
}

// TestProductsModuloThePrime compares products with the secret with big integers, for integers and
// secrets at every end.
func TestProductsModuloThePrime(t *testing.T) {
	r, p := rand.New(rand.NewPCG(3, 98)), big.NewInt(prime)
	for range plantedTrials(5000, 200000) {
		n := r.IntN(200)
		long, word, short, secret := make([]int64, n), make([]int32, n), make([]int16, n), make([]uint64, n)
		var sums [3]big.Int
		for j := range n {
			long[j], word[j], short[j], secret[j] = max(-1<<60, min(1<<60, wildInt(r))), int32(wildInt(r)), int16(wildInt(r)), wildResidue(r)
			for k, v := range []int64{long[j], int64(word[j]), int64(short[j])} {
				sums[k].Add(&sums[k], new(big.Int).Mul(big.NewInt(v), new(big.Int).SetUint64(secret[j])))
			}
		}
		_, whole := mixWhole(short, secret)
		for k, got := range []uint64{mixLong(long, secret), mixLong(word, secret), whole, mixShort(short, secret)} {
			if want := new(big.Int).Mod(&sums[min(k, 2)], p).Uint64(); got != want {
				t.Fatalf("way %d: %v, %v, %v with %v is %d, want %d", k, long, word, short, secret, got, want)
			}
		}
		a, b := wildInt(r), wildResidue(r)
		if got, want := timesResidue(a, b), new(big.Int).Mul(big.NewInt(a), new(big.Int).SetUint64(b)); got != want.Mod(want, p).Uint64() {
			t.Fatalf("%d·%d is %d, want %v", a, b, got, want)
		}
	}
}
