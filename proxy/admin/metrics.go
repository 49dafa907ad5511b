package admin

import (
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/exodeck/exodeck/proxy/record"
)

// firstPieceBuckets are the limits of the time to the first piece, in seconds. A small model answers within milliseconds, a long
// prompt on a busy cluster may take minutes.
var firstPieceBuckets = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}

// Metrics counts exchanges for Prometheus. Its methods may be called from several goroutines.
type Metrics struct {
	registry   *prometheus.Registry
	exchanges  *prometheus.CounterVec
	bytes      *prometheus.CounterVec
	firstPiece *prometheus.HistogramVec
}

// NewMetrics returns metrics of the exchanges that [Metrics.Ended] is told of and of a recorder.
func NewMetrics(recorder Recorder) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		exchanges: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "exodeck_exchanges_total",
			Help: "Exchanges that have ended, by API family, class of the response status (none: there was no response) and how they ended.",
		}, []string{"api", "status", "ended"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "exodeck_body_bytes_total",
			Help: "Bytes of bodies that passed: in is what clients sent, out is what they got.",
		}, []string{"api", "direction"}),
		firstPiece: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "exodeck_first_piece_seconds",
			Help:    "Time from the start of a request to the first piece of its response.",
			Buckets: firstPieceBuckets,
		}, []string{"api"}),
	}
	m.registry.MustRegister(m.exchanges, m.bytes, m.firstPiece, recorderCollector{recorder},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Ended counts an exchange. It does not block, so it can be a proxy's OnEnd.
func (m *Metrics) Ended(ev record.Event) {
	api := string(ev.API)
	m.exchanges.WithLabelValues(api, statusClass(ev.Status), string(ev.Ended)).Inc()
	m.bytes.WithLabelValues(api, "in").Add(float64(ev.RequestBytes))
	m.bytes.WithLabelValues(api, "out").Add(float64(ev.ResponseBytes))
	if ev.Status != 0 {
		m.firstPiece.WithLabelValues(api).Observe(ev.TTFB.Seconds())
	}
}

// statusClass is 2xx and the like, "none" when there was no response.
func statusClass(status int) string {
	if status == 0 {
		return "none"
	}
	return fmt.Sprintf("%dxx", status/100)
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
