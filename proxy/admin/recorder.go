package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/exodeck/exodeck/proxy/tape"
)

// recorderCollector shows the counters of a recorder, all from one look at them.
type recorderCollector struct {
	stats func() tape.Stats
}

// recorderMetrics lists what is shown of a recorder.
var recorderMetrics = []struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(tape.Stats) float64
}{
	{describe("exodeck_recorded_total", "Exchanges on the tape, whole."),
		prometheus.CounterValue, func(s tape.Stats) float64 { return float64(s.Committed) }},
	{describe("exodeck_unrecorded_total", "Exchanges that took place and are not on the tape whole."),
		prometheus.CounterValue, func(s tape.Stats) float64 { return float64(s.Unrecorded) }},
	{describe("exodeck_in_flight", "Exchanges that have begun and not ended."),
		prometheus.GaugeValue, func(s tape.Stats) float64 { return float64(s.InFlight) }},
	{describe("exodeck_queue_exchanges", "Exchanges with something that waits to be written to the tape."),
		prometheus.GaugeValue, func(s tape.Stats) float64 { return float64(s.Queued) }},
	{describe("exodeck_queue_bytes", "Bytes that wait to be written to the tape."),
		prometheus.GaugeValue, func(s tape.Stats) float64 { return float64(s.QueuedBytes) }},
	{describe("exodeck_tape_body_bytes_total", "Bytes of bodies recorded, as they went over the wire."),
		prometheus.CounterValue, func(s tape.Stats) float64 { return float64(s.BodyBytes) }},
	{describe("exodeck_tape_stored_bytes_total", "Bytes that those bodies took on the tape, each body once and compressed."),
		prometheus.CounterValue, func(s tape.Stats) float64 { return float64(s.StoredBytes) }},
}

func describe(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe implements [prometheus.Collector].
func (recorderCollector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range recorderMetrics {
		out <- m.desc
	}
}

// Collect implements [prometheus.Collector].
func (c recorderCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.stats()
	for _, m := range recorderMetrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(stats))
	}
}
