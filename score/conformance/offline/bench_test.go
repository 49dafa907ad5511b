package offline_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/score/conformance/offline"
)

// benchExchanges is how many exchanges of 8 KB the benchmarks judge; the environment variable of this name sets another number.
func benchExchanges(b *testing.B) int {
	if v := os.Getenv("CONFORMANCE_BENCH"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 4000
}

// benchTape has exchanges of 8 KB in equal parts: whole answers with a call, whole answers of text, and streams, after long prompts
// with tools.
func benchTape(b *testing.B) *tape.Tape {
	prompt := strings.Repeat("The harbour lies in the west, and the tide comes in from there. ", 40)
	return record(b, benchExchanges(b), func(i int) sent {
		request := strings.Replace(ask(zero), "High water", fmt.Sprintf("%d. %sHigh water", i, prompt), 1)
		switch i % 3 {
		case 0:
			return chat(request, calls(call("c1", "get_tide", fmt.Sprintf(`{"port":"%d %s"}`, i, strings.Repeat("x", 4500)))))
		case 1:
			return chat(request, says(fmt.Sprintf("%d. %s", i, strings.Repeat("At noon, says the <b>table</b>. ", 150))))
		}
		var stream strings.Builder
		for k := range 45 {
			stream.WriteString(chunk(fmt.Sprintf(`{"content":"%d at noon. "}`, i+k), ""))
		}
		return chat(request, stream.String()+chunk(`{}`, `"stop"`)+done)
	})
}

// BenchmarkRun judges a tape. BenchmarkRead is what it is to be compared with: reading the same bodies and asking whether they are JSON.
func BenchmarkRun(b *testing.B) {
	taped := benchTape(b)
	var memory runtime.MemStats
	used := cpuTime()
	b.ResetTimer()
	for b.Loop() {
		res, err := offline.Run(b.Context(), taped, offline.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := res.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&memory)
		if res.Exchanges != benchExchanges(b) || res.Failing > 0 {
			b.Fatalf("%+v", res.Tally)
		}
		if err := res.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perExchange(b, used)
	b.ReportMetric(float64(memory.HeapInuse)/1e6, "MB-heap")
}

func BenchmarkRead(b *testing.B) {
	taped := benchTape(b)
	used := cpuTime()
	b.ResetTimer()
	for b.Loop() {
		for x, err := range taped.Exchanges(b.Context(), tape.Query{}) {
			if err != nil {
				b.Fatal(err)
			}
			for _, body := range []tape.Body{x.Request.Body, x.Response.Body} {
				rc, err := taped.Body(b.Context(), body)
				if err != nil {
					b.Fatal(err)
				}
				data, err := io.ReadAll(rc)
				if err != nil {
					b.Fatal(err)
				}
				rc.Close()
				if !json.Valid(data) && data[0] == '{' {
					b.Fatalf("%.100s is not JSON", data)
				}
			}
		}
	}
	perExchange(b, used)
}

// perExchange reports time and processor time.
func perExchange(b *testing.B, used time.Duration) {
	n := float64(b.N * benchExchanges(b))
	b.ReportMetric(float64(b.Elapsed().Microseconds())/n, "µs/exchange")
	b.ReportMetric(float64((cpuTime()-used).Microseconds())/n, "cpu-µs/exchange")
}
