package train

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/release"
)

// PersonUnit states that all rows of a person form one record. Rows with the same text in a column
// belong to one person. The contributions of a person's rows are summed, and the sum is bounded. So
// the guarantee covers all rows of the person together.
type PersonUnit struct {
	// Column is the name of the column that identifies the person of each row. Rows with an empty
	// cell in this column contribute nothing.
	Column string `json:"column"`
	// MaxRows is the maximum number of rows of one person that are used. These are the person's
	// first rows in the table. Further rows contribute nothing.
	MaxRows int `json:"max-rows"`
}

// maxRowsPerPerson bounds MaxRows. It is far above any use.
const maxRowsPerPerson = 1 << 20

func (u *PersonUnit) validate(p Plan) error {
	switch {
	case u == nil:
		return nil
	case u.Column == "" || u.MaxRows < 1 || u.MaxRows > maxRowsPerPerson:
		return fmt.Errorf("train: person is column %q with at most %d rows, want a column of the schema and 1 to %d rows", u.Column, u.MaxRows, maxRowsPerPerson)
	case p.RowsPerPerson != 0:
		return fmt.Errorf("train: one person has %d rows with persons as records, want none declared; a record is all of them", p.RowsPerPerson)
	case p.Sampling == samplingFixedSize:
		return fmt.Errorf("train: batches of fixed size are asked for with persons as records, want all persons, Poisson samples or parts; the number of persons is not declared")
	case ofRows(p.Clipping.Mode):
		return fmt.Errorf("train: clipping %s is asked for with persons as records, want clipping of gradients; a person's rows are bounded together", p.Clipping.Mode)
	}
	return nil
}

// unit returns the words for one record; row is the words for one row.
func (u *PersonUnit) unit(row string) string {
	if u == nil {
		return row
	}
	return pick.Unit(u.Column, u.MaxRows)
}

// rowsPerPerson returns the number of records that one person may have. It is the number that the
// schema declares for rows. It is 0, which means no group, if a record is all rows of a person.
func (u *PersonUnit) rowsPerPerson(declared int) int {
	if u == nil {
		return declared
	}
	return 0
}

// scale returns an upper bound on the ratio of one record's sum to one row's.
func (u *PersonUnit) scale() float64 {
	if u == nil {
		return 1
	}
	return float64(u.MaxRows)
}

// persons lists the used rows of each person, in the order in which persons first appear.
func (u *PersonUnit) persons(d *data.Dataset) ([][]int, error) {
	codes, known, err := d.Texts(u.Column)
	if err != nil {
		return nil, fmt.Errorf("train: the column of persons: %w", err)
	}
	return pick.PersonsOf(codes, len(known), u.MaxRows, nil), nil
}

// ofPersons makes vectors of persons from their rows.
type ofPersons struct {
	rows    *release.Rows
	persons [][]int
	rooms   sync.Map // one for each part
}

// personRoom is the scratch of one part.
type personRoom struct {
	block   release.Block
	c       kernel.Contributions
	row     []int16
	indices []int
}

// each loads the rows of the listed persons and calls do with them. Row r of the block belongs to
// person owner[r] of the list.
func (o *ofPersons) each(part int, records []int, do func(r *personRoom, owner []int)) error {
	found, _ := o.rooms.LoadOrStore(part, &personRoom{row: make([]int16, o.rows.Dim())})
	r := found.(*personRoom)
	var owner []int
	r.indices = r.indices[:0]
	for k, person := range records {
		for _, i := range o.persons[person] {
			r.indices, owner = append(r.indices, i), append(owner, k)
		}
	}
	var err error
	if r.block, err = o.rows.LoadAt(r.indices, r.block); err != nil {
		return err
	}
	do(r, owner)
	return nil
}

// count writes the number of rows of each person.
func (o *ofPersons) count(_ int, dst []float64, records []int) error {
	for k, person := range records {
		dst[k] = float64(len(o.persons[person]))
	}
	return nil
}

// sums writes the sum of each person's rows.
func (o *ofPersons) sums(part int, dst []float64, records []int) error {
	dim, one := o.rows.Dim(), []float64{1}
	return o.each(part, records, func(r *personRoom, owner []int) {
		for i, k := range owner {
			r.block.AddTo(dst[k*dim:(k+1)*dim], i, one, r.row)
		}
	})
}

// productsOf returns a function that writes the sum of products over each person's rows.
func (o *ofPersons) productsOf(p release.Products) func(part int, dst []float64, records []int) error {
	dim, one := o.rows.Dim(), []float64{1}
	numbers := p.Numbers(dim)
	return func(part int, dst []float64, records []int) error {
		x := make([]float64, dim)
		return o.each(part, records, func(r *personRoom, owner []int) {
			for i, k := range owner {
				clear(x)
				r.block.AddTo(x, i, one, r.row)
				p.Add(dst[k*numbers:(k+1)*numbers], x)
			}
		})
	}
}

// learnOfPersons is learn for records that are persons: the sums over a person's rows are bounded
// together.
func (statistic PreparationStep) learnOfPersons(terms pass.Settings, t *table, out *prepared) error {
	o, dim, m := &ofPersons{rows: t.rows, persons: t.persons}, t.rows.Dim(), out.features
	var err error
	switch {
	case statistic.Kind == option.CountStatistic:
		var count []float64
		if count, err = pass.SumVectors(terms, len(t.persons), 1, statistic.Bound, o.count); err == nil {
			out.divisor = max(1, min(float64(terms.MaxRecords), count[0]))
		}
	case statistic.Kind == option.RadiusStatistic:
		err = statistic.learnRadius(terms, t, out)
	case statistic.Kind == option.MeanStatistic:
		var sum []float64
		sum, err = pass.SumVectors(terms, len(t.persons), dim, statistic.Bound, o.sums)
		m.Center = divided(sum, out.divisor)
	case statistic.Kind == option.FrequencyStatistic:
		var sum []float64
		if sum, err = pass.SumVectors(terms, len(t.persons), dim, statistic.Bound, o.sums); err == nil {
			out.learned(statistic, sum)
		}
	case isWhitening(statistic.Kind):
		if o.rows, err = t.rows.Standardized(frame(before(m))); err != nil {
			return err
		}
		var sum []float64
		if sum, err = o.sumProducts(terms, statistic, m.Pipeline); err == nil {
			out.learned(statistic, sum)
		}
	default:
		err = statistic.unknown()
	}
	return err
}

// sumProducts releases the sum of products over the persons.
func (o *ofPersons) sumProducts(terms pass.Settings, statistic PreparationStep, c *feature.Pipeline) ([]float64, error) {
	p := statistic.products(c)
	vectors := o.productsOf(p)
	sum, err := pass.SumVectors(terms, len(o.persons), p.Numbers(o.rows.Dim()), statistic.Bound, vectors)
	if err != nil || p == release.Squares() {
		return sum, err
	}
	return pass.Symmetric(sum, p.Side(o.rows.Dim())), nil
}

// personGradient releases the noisy sum of the clipped gradients of the persons of a step's sample.
func (r *descent) personGradient() (release.Noisy, error) {
	sample, err := r.samples.draw()
	if err != nil {
		return release.Noisy{}, err
	}
	dim := r.Plan.Columns * r.Plan.Dim
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: r.noise(), Norm: release.L2(), Dim: dim, Bound: r.Plan.Clipping.Bound, MaxRecords: r.Plan.MaxRecords})
	if err != nil {
		return release.Noisy{}, err
	}
	scorer := r.scorer()
	err = pass.Vectors(sum, sample, dim, func(part int, dst []float64, records []int) error {
		return r.persons.each(part, records, func(room *personRoom, owner []int) { r.proposePersons(dst, room, owner, scorer) })
	})
	if err != nil {
		return release.Noisy{}, err
	}
	return release.Release(r.payer, r.noise(), sum.Seal())
}

// proposePersons writes each person's clipped sum of gradients to dst.
func (r *descent) proposePersons(dst []float64, room *personRoom, owner []int, scorer *release.Scorer) {
	b, dim := room.block, r.Plan.Columns*r.Plan.Dim
	r.Model.Propose(&room.c, b.Labels(), func(scores []float32) { scorer.Scores(scores, b) })
	r.ready.applyWeights(&room.c, b.Labels())
	r.ready.weighRows(&room.c, &b)
	for i, k := range owner {
		b.AddTo(dst[k*dim:(k+1)*dim], i, room.c.Coefficients[i*r.Plan.Columns:(i+1)*r.Plan.Columns], room.row)
	}
	for k := range len(dst) / dim {
		g := dst[k*dim : (k+1)*dim]
		if w := r.Plan.Clipping.weight(kernel.Norm(g)); w != 1 {
			for j := range g {
				g[j] *= w
			}
		}
	}
}
