package data

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"sync"
)

// pipeline reads the blocks of a CSV text in parallel and joins them in order. The caller's
// goroutine reads the text and joins. Each worker touches its own block only.
type pipeline struct {
	q       request
	sink    partSink
	plan    *rowPlan
	reader  blockReader
	rows    int
	queue   []*block // read and not joined, in order
	free    []*block
	work    chan *block
	workers sync.WaitGroup
}

// scanBlocks passes the rows after the header to a sink that takes parts. It gives the same rows as
// scanRows, or the same error.
func scanBlocks(ctx context.Context, q request, t *table, sink partSink) error {
	p := &pipeline{q: q, sink: sink, plan: sink.plan(q, t), reader: blockReader{in: t.in, line: t.nextLine, noQuotes: q.noQuotes, size: cmp.Or(q.blockBytes, tableBlockBytes)}}
	defer p.stop()
	end := error(nil)
	for end == nil {
		if len(p.queue) > runtime.GOMAXPROCS(0) {
			if err := p.join(ctx); err != nil {
				return err
			}
		}
		end = p.read()
	}
	for len(p.queue) > 0 {
		if err := p.join(ctx); err != nil {
			return err
		}
	}
	*q.rows += p.rows
	if end == io.EOF && p.rows == 0 {
		return noRecords(q.file)
	}
	if end == io.EOF {
		return nil
	}
	return end
}

// read reads a block and passes it to a worker. The error says why no block follows.
func (p *pipeline) read() error {
	b := &block{part: &part{}, done: make(chan struct{}, 1)}
	if last := len(p.free) - 1; last >= 0 {
		b, p.free = p.free[last], p.free[:last]
	}
	err := p.reader.fill(b)
	p.queue = append(p.queue, b)
	if p.work == nil && err != nil { // the only block
		b.read(p.plan)
		return err
	}
	p.start()
	p.work <- b
	return err
}

// start starts the workers, once.
func (p *pipeline) start() {
	if p.work != nil {
		return
	}
	p.work = make(chan *block, runtime.GOMAXPROCS(0)+1) // as many as the queue holds
	for range runtime.GOMAXPROCS(0) {
		p.workers.Go(func() {
			for b := range p.work {
				b.read(p.plan)
			}
		})
	}
}

func (p *pipeline) stop() {
	if p.work != nil {
		close(p.work)
		p.workers.Wait()
	}
}

// read finds the rows of a block.
func (b *block) read(plan *rowPlan) {
	b.part.begin(plan, b.text, plan.q.maxRecords)
	b.part.scan(b)
	b.done <- struct{}{}
}

// join waits for the oldest block and passes its rows on.
func (p *pipeline) join(ctx context.Context) error {
	b := p.queue[0]
	p.queue = p.queue[1:]
	<-b.done
	if err := ctx.Err(); err != nil {
		return err
	}
	if limit := p.q.maxRecords - p.rows; p.q.maxRecords >= 0 && b.part.rows > limit {
		b.part.begin(p.plan, b.text, limit) // the row that is one too many lies in this block
		b.part.scan(b)
	}
	if p.rows == 0 && b.part.rows > 0 && b.part.err == nil {
		p.sink.reserve(p.expected(b))
	}
	p.sink.join(b.part)
	p.rows += b.part.rows
	p.free = append(p.free, b)
	return b.part.err
}

// expected returns the approximate number of rows of a file that goes on as its first block does.
// It is 0 when the size of the file is not known.
func (p *pipeline) expected(first *block) int {
	const spare = 1.02
	rows := float64(first.part.rows) * spare * float64(p.q.size) / float64(len(first.text))
	return int(min(rows, float64(max(0, p.q.maxRecords))))
}
