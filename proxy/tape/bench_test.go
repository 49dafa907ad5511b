package tape

import (
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// words makes text that shrinks about as much as prose does.
func words(rng *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%s ", vocabulary[int(rng.ExpFloat64()*150)%len(vocabulary)])
	}
	return b.String()[:size]
}

var vocabulary = func() []string {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]string, 2000)
	for i := range list {
		word := make([]byte, 2+rng.IntN(9))
		for j := range word {
			word[j] = 'a' + byte(rng.IntN(26))
		}
		list[i] = string(word)
	}
	return list
}()

func nonce() string {
	var b [12]byte
	crand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// cpuTime is what the process has used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecord records exchanges of a 6 KB request and a 2 KB answer, no two alike, from 16 goroutines.
func BenchmarkRecord(b *testing.B) {
	path, r, s := openTest(b, RecorderOptions{MaxWait: time.Minute})
	rng := rand.New(rand.NewPCG(3, 4))
	text, answer := words(rng, 6000), words(rng, 1800)
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"bench/1.0"}, "Accept": {"*/*"},
		"Accept-Encoding": {"gzip, deflate, br"}, "Authorization": {"[fingerprint:0123456789abcdef]"}, "Content-Length": {"6100"}}
	reply := http.Header{"Content-Type": {"application/json"}, "Date": {"Mon, 30 Nov 2026 14:08:09 GMT"},
		"Server": {"hypercorn-h11"}, "Content-Length": {"2000"}}
	cpu := cpuTime()
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	const callers = 16
	for c := range callers {
		wg.Go(func() {
			for i := c; i < b.N; i += callers {
				x := s.Begin(Start{Started: time.Now(), Upstream: "http://exo.local:52415", Method: "POST", URL: "/v1/chat/completions",
					Host: "127.0.0.1:52416", Proto: "HTTP/1.1", Header: header})
				x.RequestBody([]byte(`{"model":"tiny","user":"` + nonce() + `","messages":[{"role":"user","content":"` + text + `"}]}`))
				x.RequestEnd(nil)
				x.ResponseHead(200, "", true, "HTTP/1.1", reply, 900*time.Microsecond)
				x.ResponseBody([]byte(`{"id":"`+nonce()+`","choices":[{"message":{"role":"assistant","content":"`+answer+`"}}]}`), time.Millisecond)
				x.End(Complete, "", nil, 1100*time.Microsecond)
			}
		})
	}
	wg.Wait()
	if err := r.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
	reportSize(b, path, r)
}

// BenchmarkRecordStream records streams of 200 pieces of 180 bytes.
func BenchmarkRecordStream(b *testing.B) {
	path, r, s := openTest(b, RecorderOptions{MaxWait: time.Minute})
	rng := rand.New(rand.NewPCG(5, 6))
	var pieces [][]byte
	for range 200 {
		pieces = append(pieces, []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1770000000,"model":"tiny","choices":[{"index":0,"delta":{"content":"`+
			vocabulary[rng.IntN(len(vocabulary))]+` "},"finish_reason":null}]}`+"\n\n"))
	}
	reply := http.Header{"Content-Type": {"text/event-stream"}}
	cpu := cpuTime()
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	const callers = 16
	for c := range callers {
		wg.Go(func() {
			for i := c; i < b.N; i += callers {
				x := s.Begin(Start{Started: time.Now(), Upstream: "http://exo.local:52415", Method: "POST", URL: "/v1/chat/completions",
					Host: "127.0.0.1:52416", Proto: "HTTP/1.1", Header: reply})
				x.RequestBody([]byte(`{"model":"tiny","user":"` + nonce() + `","messages":[]}`))
				x.RequestEnd(nil)
				x.ResponseHead(200, "", true, "HTTP/1.1", reply, 900*time.Microsecond)
				x.ResponseBody([]byte(`: `+nonce()+"\n\n"), time.Millisecond)
				for i, p := range pieces {
					x.ResponseBody(p, time.Duration(i+1)*time.Millisecond)
				}
				x.End(Complete, "", nil, 200*time.Millisecond)
			}
		})
	}
	wg.Wait()
	if err := r.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
	reportSize(b, path, r)
}

func reportSize(b *testing.B, path string, r *Recorder) {
	st := r.Stats()
	b.ReportMetric(float64(st.StoredBytes)/float64(b.N), "stored-B/op")
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(b.N), "file-B/op")
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/(1<<20), "heap-MiB")
}
