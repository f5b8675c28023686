package release

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
)

// Products selects which products of the coordinates of a row are summed. The zero value is
// AllProducts.
type Products struct {
	form             productForm
	channels, places int
}

type productForm uint8

const (
	allProducts productForm = iota
	squares
	channelProducts
	placeProducts
)

// AllProducts returns the selection of the products of every pair of coordinates. They form the
// dim×dim matrix x·xᵀ of a row x.
func AllProducts() Products { return Products{} }

// Squares returns the selection of the squares of each coordinate, which are dim numbers.
func Squares() Products { return Products{form: squares} }

// ChannelProducts returns the selection of the products of two channels at the same place, summed
// over the places. The row is a matrix X of channels×places, one channel after the other. The
// products form the matrix X·Xᵀ of channels×channels.
func ChannelProducts(channels, places int) Products {
	return Products{channelProducts, channels, places}
}

// PlaceProducts returns the selection of the products of two places in the same channel, summed
// over the channels. The row is a matrix X of channels×places, one channel after the other. The
// products form the matrix Xᵀ·X of places×places.
func PlaceProducts(channels, places int) Products {
	return Products{placeProducts, channels, places}
}

// Numbers returns the number of selected products, for rows of dim coordinates.
func (p Products) Numbers(dim int) int {
	if p.form == squares {
		return dim
	}
	return p.Side(dim) * p.Side(dim)
}

// Side returns the number of rows of the matrix of products, for rows of dim coordinates.
func (p Products) Side(dim int) int {
	switch p.form {
	case channelProducts:
		return p.channels
	case placeProducts:
		return p.places
	}
	return dim
}

// Add adds the selected products of the row x to dst, of length Numbers.
func (p Products) Add(dst, x []float64) {
	side := p.Side(len(x))
	switch p.form {
	case squares:
		for j, v := range x {
			dst[j] += v * v
		}
	case channelProducts:
		for i, u := range x {
			for c := range side {
				dst[i/p.places*side+c] += u * x[c*p.places+i%p.places]
			}
		}
	default: // all coordinates are places of one channel
		for i, u := range x {
			first := i / side * side
			for j, v := range x[first : first+side] {
				dst[i%side*side+j] += u * v
			}
		}
	}
}

func (p Products) check(dim int) error {
	shaped := p.form == channelProducts || p.form == placeProducts
	if shaped && (p.channels < 1 || p.places < 1 || p.channels > dim || p.places > dim || p.channels*p.places != dim) {
		return fmt.Errorf("release: rows of %d coordinates are taken for %d channels of %d places, want a product of both", dim, p.channels, p.places)
	}
	return nil
}

// sum adds up the products of rows, exactly.
func (p Products) sum(rows *Rows) []int64 {
	if p.form == squares {
		return sumSquares(rows)
	}
	return p.sumMatrix(rows)
}

// sumMatrix adds up the products as integers in float64 and mirrors them. Of one row no sum of
// magnitudes of products passes ‖x‖², by Cauchy and Schwarz, and so not maxMomentBound.
func (p Products) sumMatrix(rows *Rows) []int64 {
	d, side := rows.dim, p.Side(rows.dim)
	total, whole, panel := make([]int64, side*side), make([]float64, side*side), make([]float64, momentRows*d)
	for first := 0; first < rows.count; first += momentRows {
		n := min(momentRows, rows.count-first)
		parallel.Parts(n, func(from, to int) {
			for i := from; i < to; i++ {
				p.panel(panel[i*d:(i+1)*d], rows, first+i)
			}
		})
		kernel.AddGram(whole, panel[:n*d], n*d/side, side)
		if (first+momentRows)%momentFlush == 0 || first+n == rows.count {
			flushLower(total, whole, side)
		}
	}
	return total
}

// panel writes the integers of a row to out, as rows of side numbers. A row beyond the limit (which
// NewRows does not make) counts as zero.
func (p Products) panel(out []float64, rows *Rows, i int) {
	x := momentRow(rows, i)
	switch {
	case x == nil:
		clear(out)
	case p.form == channelProducts:
		for j, v := range x {
			out[j%p.places*p.channels+j/p.places] = float64(v)
		}
	default:
		for j, v := range x {
			out[j] = float64(v)
		}
	}
}

// momentRow returns the integers of a row, nil for one beyond the limit.
func momentRow(rows *Rows, i int) []int16 {
	if rows.n2[i] > rows.limit {
		return nil
	}
	return shorts(rows)[i*rows.dim : (i+1)*rows.dim]
}

// sumSquares adds up the squares of each coordinate.
func sumSquares(rows *Rows) []int64 {
	var lock sync.Mutex
	total := make([]int64, rows.dim)
	parallel.Parts(rows.count, func(from, to int) {
		part := make([]int64, rows.dim)
		for i := from; i < to; i++ {
			for j, v := range momentRow(rows, i) {
				part[j] += int64(v) * int64(v)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		addTo(total, part)
	})
	return total
}
