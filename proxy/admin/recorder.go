package admin

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Recorder is what is asked about recording. [tape.Recorder] is one.
type Recorder interface {
	Stats() tape.Stats
	CommitTimes() tape.CommitTimes
}

var _ Recorder = (*tape.Recorder)(nil)

// recorderCollector shows the counters of a recorder, all from one look at them.
type recorderCollector struct {
	recorder Recorder
}

var commitSeconds = describe("exodeck_commit_seconds", "Time it took to write a batch of exchanges to the tape.")

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
	{describe("exodeck_tape_file_bytes", "Size of the tape, with the write-ahead log beside it."),
		prometheus.GaugeValue, func(s tape.Stats) float64 { return float64(s.FileBytes) }},
	{describe("exodeck_pruned_total", "Exchanges removed to keep the tape to its size and age."),
		prometheus.CounterValue, func(s tape.Stats) float64 { return float64(s.Pruned) }},
	{describe("exodeck_prune_held_seconds", "The longest that recording was held up by pruning."),
		prometheus.GaugeValue, func(s tape.Stats) float64 { return s.PruneHeld.Seconds() }},
}

func describe(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe implements [prometheus.Collector].
func (recorderCollector) Describe(out chan<- *prometheus.Desc) {
	out <- commitSeconds
	for _, m := range recorderMetrics {
		out <- m.desc
	}
}

// Collect implements [prometheus.Collector].
func (c recorderCollector) Collect(out chan<- prometheus.Metric) {
	commits := c.recorder.CommitTimes()
	buckets := make(map[float64]uint64, len(commits.Within))
	for i, n := range commits.Within {
		buckets[tape.CommitLimits[i].Seconds()] = uint64(n)
	}
	out <- prometheus.MustNewConstHistogram(commitSeconds, uint64(commits.Count), commits.Total.Seconds(), buckets)
	stats := c.recorder.Stats()
	for _, m := range recorderMetrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(stats))
	}
}
