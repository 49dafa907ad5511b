//go:build unix

package tape

import (
	"bytes"
	"encoding/binary"
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
	rng := rand.New(rand.NewPCG(3, 4))
	benchmarkRecord(b,
		`{"model":"tiny","user":"%s","messages":[{"role":"user","content":"`+words(rng, 6000)+`"}]}`,
		"application/json", 900*time.Microsecond,
		`{"id":"%s","choices":[{"message":{"role":"assistant","content":"`+words(rng, 1800)+`"}}]}`)
}

// BenchmarkRecordStream records streams of 200 events, each of which arrives as a piece of 180 bytes.
func BenchmarkRecordStream(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	pieces := []string{": %s\n\n"}
	for range 200 {
		pieces = append(pieces, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1770000000,"model":"tiny",`+
			`"choices":[{"index":0,"delta":{"content":"`+words(rng, 6)+`"},"finish_reason":null}]}`+"\n\n")
	}
	benchmarkRecord(b, `{"model":"tiny","user":"%s","messages":[]}`, "text/event-stream", time.Millisecond, pieces...)
}

// benchmarkRecord records exchanges in which %s, in the request and in the first piece of the response, is another text each time.
func benchmarkRecord(b *testing.B, request, kind string, gap time.Duration, pieces ...string) {
	path, r, s := openTest(b, RecorderOptions{MaxWait: time.Minute})
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"bench/1.0"}, "Accept": {"*/*"},
		"Accept-Encoding": {"gzip, deflate, br"}, "Authorization": {"[fingerprint:0123456789abcdef]"}, "Content-Length": {"6100"}}
	reply := http.Header{"Content-Type": {kind}, "Date": {"Mon, 30 Nov 2026 14:08:09 GMT"}, "Server": {"hypercorn-h11"}}
	const callers = 16
	cpu := cpuTime()
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			nonce := make([]byte, 8)
			rng := rand.New(rand.NewPCG(uint64(c), 7))
			// Handed over in three pieces, so that the nonce is all that is made anew.
			ask1, ask2, _ := bytes.Cut([]byte(request), []byte("%s"))
			answer1, answer2, _ := bytes.Cut([]byte(pieces[0]), []byte("%s"))
			var rest [][]byte
			for _, p := range pieces[1:] {
				rest = append(rest, []byte(p))
			}
			for i := c; i < b.N; i += callers {
				binary.BigEndian.PutUint64(nonce, rng.Uint64())
				x := s.Begin(Start{Started: time.Now(), Upstream: "http://exo.local:52415", Method: "POST", URL: "/v1/chat/completions",
					Host: "127.0.0.1:52416", Proto: "HTTP/1.1", Header: header})
				x.RequestBody(ask1)
				x.RequestBody(nonce)
				x.RequestBody(ask2)
				x.RequestEnd(nil)
				x.ResponseHead(200, "", true, "HTTP/1.1", reply, gap)
				x.ResponseBody(answer1, gap)
				x.ResponseBody(nonce, gap)
				x.ResponseBody(answer2, gap)
				for i, p := range rest {
					x.ResponseBody(p, time.Duration(i+2)*gap)
				}
				x.End(Complete, "", nil, time.Duration(len(rest)+2)*gap)
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
