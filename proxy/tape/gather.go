package tape

import (
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// job is what one batch writes of one exchange.
type job struct {
	x      *Recording
	cost   int64 // to be released once the job is done
	failed error // the exchange has been given up; only that is to be written

	parts          []*part
	insert         bool // the request is whole, or as whole as it will be: the row can be made
	request        *bodyEnd
	requestTrailer http.Header
	head           *responseHead // nil before it came
	response       *bodyEnd
	end            *ending // nil before the end

	before rows // filled in by the writer: what was on the tape before the batch
}

// rows are what is on the tape of an exchange.
type rows struct {
	exchange          int64 // 0 while there is none
	request, response bodyRow
}

// batch is what is written in one transaction.
type batch struct {
	jobs  []*job
	calls []*call
}

// gather makes batches of what is queued, prepares them and passes them on, until the recorder is closed.
func (r *Recorder) gather(w *writer, out chan<- *batch) {
	timer := time.NewTimer(0)
	<-timer.C
	for {
		<-r.wake
		timer.Reset(batchDelay)
		select {
		case <-timer.C:
		case <-r.hurry:
			timer.Stop()
		}
		b, last := r.takeBatch()
		if len(b.jobs)+len(b.calls) > 0 {
			w.packer.prepare(b.jobs)
			out <- b
		}
		if last {
			return
		}
	}
}

// takeBatch takes all that is queued. It reports whether that was the last.
func (r *Recorder) takeBatch() (b *batch, last bool) {
	r.mu.Lock()
	queue := r.queue
	b = &batch{calls: r.calls}
	r.queue, r.calls = nil, nil
	last = r.closed
	r.mu.Unlock()
	b.jobs = make([]*job, len(queue))
	for i, x := range queue {
		b.jobs[i] = x.takeJob()
	}
	return b, last
}

// prepare does for jobs all that needs no database.
func (p *packer) prepare(jobs []*job) {
	quick := len(jobs) > busyBatch
	workers := min(runtime.GOMAXPROCS(0), (len(jobs)+7)/8)
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(jobs) {
				return
			}
			p.prepareJob(jobs[i], quick)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

func (p *packer) prepareJob(j *job, quick bool) {
	if j.failed != nil {
		return
	}
	for _, part := range j.parts {
		part.of.digest(part.raw)
		p.pack(part, quick)
	}
	for _, b := range []*bodyEnd{j.request, j.response} {
		if b != nil && b.whole > 0 {
			p.finishBody(b, quick)
		}
	}
}
