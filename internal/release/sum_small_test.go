package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBlocksAreVerifiedAlike compares blocks of several coefficients a record, by row and by column, with the
// definition, record by record, from several frames: proposals at the bound, one step beyond it, wild, NaN, and
// too many or too large for the faster way. Whatever is written is within the bound, in integers of any length.
func TestBlocksAreVerifiedAlike(t *testing.T) {
	const n, dim = 100, 3
	r := rand.New(rand.NewPCG(8, 16))
	soon, later, truncated := 0, 0, 0
	for _, f := range []Standardization{{}, {Normalize: NormalizeUnit, Intercept: 0.5}, {Normalize: NormalizeClip, Radius: 0.1, Center: []float64{0.3, 0, -0.2}}} {
		for round := range 30 {
			columns := []int{2, 3, 10, mostSmall, mostSmall + 1}[round%5]
			rows := typedRows(t, coordinates(r, Int16, n, dim), Int16, f, 0, n)
			sample, _ := Draw(Full(), n)
			s := newTestSum(t, rows, sample, columns, 1, 1<<(10+round))
			b, _ := rows.Load(0, n, Block{})
			p := edgeProposals(r, &b, columns)
			byRow, byColumn, q := make([]float64, n*columns), make([]float64, n*columns), make([]int64, columns)
			adderOf(s).roundBlock(byRow, columns, 1, &b, p)
			betas, tails := slices.Clone(adderOf(s).betas), slices.Clone(adderOf(s).tails)
			adderOf(s).roundBlock(byColumn, 1, n, &b, p)
			limit := new(big.Int).Mul(big.NewInt(s.grid.bound), big.NewInt(s.grid.bound))
			for i := range n {
				own, unit := p[i*columns:(i+1)*columns], b.multiplier(i, &rows.frame)
				if adderOf(s).roundWithin(q, own, b.n2[i], unit); b.n2[i] > 0 && roundSmall(slices.Clone(q), own, adderOf(s).scale*unit, uint64(b.n2[i]), uint64(s.grid.bound)) {
					soon++
				} else {
					later++
				}
				squares := new(big.Int)
				for k, v := range q {
					if byRow[i*columns+k] != float64(v) || byColumn[k*n+i] != float64(v) {
						t.Fatalf("frame %+v, %d columns, proposal %v: got %v by row and %v by column, want %d", f, columns, own, byRow[i*columns+k], byColumn[k*n+i], v)
					}
					betas[k], tails[k] = betas[k]-v*b.beta(i), tails[k]-v*b.tail(i)
					squares.Add(squares, new(big.Int).Mul(big.NewInt(v), big.NewInt(v)))
					if math.RoundToEven(own[k]*(adderOf(s).scale*unit)) != float64(v) {
						truncated++
					}
				}
				if squares.Mul(squares, big.NewInt(b.n2[i])).Cmp(limit) > 0 {
					t.Fatalf("proposal %v, squared norm %d: %v is beyond the bound", own, b.n2[i], q)
				}
			}
			if f.Center != nil && slices.ContainsFunc(betas, notZero) || f.Intercept > 0 && slices.ContainsFunc(tails, notZero) {
				t.Fatalf("frame %+v: beside the rows %v and %v are too much, want none", f, betas, tails)
			}
		}
	}
	if soon < 1000 || later < 1000 || truncated < 1000 {
		t.Errorf("%d records the fast way, %d the other, %d numbers not rounded to the nearest: the test does not probe the edge", soon, later, truncated)
	}
}

func notZero(v int64) bool { return v != 0 }

// edgeProposals are coefficients near the bound 1, some of them wild and some far within.
func edgeProposals(r *rand.Rand, b *Block, columns int) []float64 {
	p := make([]float64, b.Len()*columns)
	for i := range b.Len() {
		way := r.IntN(8)
		for k := range columns {
			p[i*columns+k] = math.Copysign((1+float64(r.IntN(5)-2)*0x1p-40)/max(b.Norm(i), 1e-9)/math.Sqrt(float64(columns)), r.NormFloat64())
			switch {
			case way == 0 && k == columns/2:
				p[i*columns+k] = wildFloat(r)
			case way == 1:
				p[i*columns+k] *= r.Float64()
			}
		}
	}
	return p
}
