package admin

import "github.com/prometheus/client_golang/prometheus"

// Judged counts what a judge of the recorded exchanges has found so far.
type Judged struct {
	// Exchanges were judged; Failing of them have an error; Dropped were left out because too many were waiting.
	Exchanges, Failing, Dropped int
	// Problems counts exchanges by problem code.
	Problems map[string]int
}

// Judge shows what a judge finds among the metrics. counts is called at every look and must be safe to call at any time.
func (m *Metrics) Judge(counts func() Judged) {
	m.registry.MustRegister(judgeCollector{counts})
}

type judgeCollector struct{ counts func() Judged }

var (
	judgedTotal   = describe("exodeck_judged_total", "Exchanges that were judged while they were recorded.")
	failingTotal  = describe("exodeck_failing_total", "Exchanges of these that have an error.")
	droppedTotal  = describe("exodeck_judge_dropped_total", "Exchanges that were not judged because too many were waiting.")
	problemsTotal = prometheus.NewDesc("exodeck_problems_total", "Judged exchanges with this problem.", []string{"code"}, nil)
)

// Describe implements [prometheus.Collector].
func (judgeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{judgedTotal, failingTotal, droppedTotal, problemsTotal} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c judgeCollector) Collect(out chan<- prometheus.Metric) {
	counts := c.counts()
	count := func(d *prometheus.Desc, n int, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	count(judgedTotal, counts.Exchanges)
	count(failingTotal, counts.Failing)
	count(droppedTotal, counts.Dropped)
	for code, n := range counts.Problems {
		count(problemsTotal, n, code)
	}
}
