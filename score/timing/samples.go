package timing

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Quantiles sum up a set of measured values. Each is one of the values: the smallest that so many percent of all do not exceed. Of
// rates, therefore, P99 is that of the fastest answers.
type Quantiles struct {
	// Count is the number of values.
	Count  int64   `json:"count"`
	Median float64 `json:"p50"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
}

// samples counts values, in thousandths. Times repeat to the microsecond, so it grows with the variety of what was measured and not with
// the number of pieces.
type samples map[int64]int64

// duration adds a time, in milliseconds.
func (s samples) duration(d time.Duration) { s[d.Microseconds()]++ }

// rate adds any other value.
func (s samples) rate(v float64) {
	if !math.IsNaN(v) && math.Abs(v) < math.MaxInt64/1000 {
		s[int64(math.Round(v*1000))]++
	}
}

// quantiles returns nil when there are no values.
func (s samples) quantiles() *Quantiles {
	if len(s) == 0 {
		return nil
	}
	values := slices.Sorted(maps.Keys(s))
	q := new(Quantiles)
	for _, n := range s {
		q.Count += n
	}
	// at is the value of the nearest rank.
	at := func(percent int64) float64 {
		rank := (q.Count*percent + 99) / 100
		i := 0
		for rank -= s[values[i]]; rank > 0; rank -= s[values[i]] {
			i++
		}
		return float64(values[i]) / 1000
	}
	q.Median, q.P90, q.P99 = at(50), at(90), at(99)
	return q
}
