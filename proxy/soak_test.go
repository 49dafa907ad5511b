package proxy

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

var soak = flag.Int("soak", 1500, "exchanges of the soak; 50000 is the full test")

// soakClients is how many clients of the soak ask at a time.
const soakClients = 64

// fate is what happens to an exchange of the soak.
type fate int

const (
	well          fate = iota
	readSlowly         // by a client that takes its time
	goneEarly          // the client leaves when the upstream has its request
	goneMidway         // the client leaves inside the response
	resetEarly         // the upstream resets the connection instead of answering
	resetMidway        // the upstream resets the connection inside the response
	numberOfFates = 40 // among so many exchanges each fate but the first two takes place once
)

// question is exchange number n of the soak. All there is to it follows from the number, so that client, upstream and the tape can be
// compared without anything said between them.
type question int

func (n question) fate() fate {
	switch n % numberOfFates {
	case 3, 23:
		return readSlowly
	case 7:
		return goneEarly
	case 27:
		return goneMidway
	case 13:
		return resetEarly
	case 33:
		return resetMidway
	}
	return well
}

// ended is how the exchange has to end on the tape.
func (n question) ended() tape.Ended {
	switch n.fate() {
	case goneEarly, goneMidway:
		return tape.ClientGone
	case resetEarly:
		return tape.UpstreamError
	case resetMidway:
		return tape.UpstreamTruncated
	}
	return tape.Complete
}

func (n question) path() string {
	return [...]string{"/v1/chat/completions", "/ollama/api/chat", "/v1/messages"}[n%3]
}

func (n question) contentType() string {
	return [...]string{"text/event-stream", "application/x-ndjson", "application/json"}[n%3]
}

func (n question) request() string {
	return fmt.Sprintf(`{"model":"m%d","n":%d,"text":"%s"}`, n%5, n, strings.Repeat("tide ", int(n%97)))
}

// pieces is the response: events, lines, or one body.
func (n question) pieces() []string {
	count := 3 + int(n%13)
	if n.fate() == readSlowly {
		count = 100
	}
	all := make([]string, count)
	for i := range all {
		text := strings.Repeat("ebb and flow ", 1+(int(n)+i*7)%60)
		switch n % 3 {
		case 0:
			all[i] = fmt.Sprintf("data: {\"n\":%d,\"i\":%d,\"text\":%q}\n\n", n, i, text)
		default:
			all[i] = fmt.Sprintf("{\"n\":%d,\"i\":%d,\"text\":%q}\n", n, i, text)
		}
	}
	if n%3 == 2 {
		return []string{strings.Join(all, "")}
	}
	return all
}

// soakUpstream answers questions.
type soakUpstream struct {
	asked sync.Map // question of a client that leaves early → chan struct{}, closed when it has arrived
}

func (u *soakUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	number, _ := strconv.Atoi(r.Header.Get("X-Question"))
	n := question(number)
	if err != nil || string(body) != n.request() {
		http.Error(w, "not the question", http.StatusBadRequest)
		return
	}
	switch n.fate() {
	case goneEarly:
		arrived, _ := u.asked.Load(n)
		close(arrived.(chan struct{}))
		<-r.Context().Done()
		return
	case resetEarly:
		reset(w)
		return
	}
	w.Header().Set("Content-Type", n.contentType())
	pieces := n.pieces()
	if len(pieces) == 1 {
		w.Header().Set("Content-Length", strconv.Itoa(len(pieces[0])))
		half := len(pieces[0]) / 2
		pieces = []string{pieces[0][:half], pieces[0][half:]}
	}
	for i, piece := range pieces {
		if i == 1 && n.fate() == goneMidway {
			<-r.Context().Done()
			return
		}
		if i == 1 && n.fate() == resetMidway {
			reset(w)
			return
		}
		io.WriteString(w, piece)
		w.(http.Flusher).Flush()
	}
}

// reset closes the connection of a response so that the peer gets an error, not an end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// ask asks question n and returns what the client takes for wrong.
func (u *soakUpstream) ask(client *http.Client, at string, n question) error {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	if n.fate() == goneEarly {
		arrived := make(chan struct{})
		u.asked.Store(n, arrived)
		go func() {
			<-arrived
			leave()
		}()
	}
	req, err := http.NewRequestWithContext(ctx, "POST", at+n.path(), strings.NewReader(n.request()))
	if err != nil {
		return err
	}
	req.Header.Set("X-Question", strconv.Itoa(int(n)))
	req.Header.Set(record.LabelHeader, "question="+strconv.Itoa(int(n)))
	resp, err := client.Do(req)
	if n.fate() == goneEarly {
		u.asked.Delete(n)
		if err == nil {
			resp.Body.Close()
			return fmt.Errorf("answered %s although it left", resp.Status)
		}
		return nil
	}
	if n.fate() == resetEarly && errors.Is(err, io.EOF) {
		return nil // it had been sent on a kept connection
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	whole := strings.Join(n.pieces(), "")
	switch n.fate() {
	case goneMidway:
		_, err := io.ReadFull(resp.Body, make([]byte, 10))
		return err
	case resetEarly:
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusBadGateway {
			return fmt.Errorf("status %d, %v", resp.StatusCode, err)
		}
		return nil
	case resetMidway:
		got, err := io.ReadAll(resp.Body)
		if err == nil || !strings.HasPrefix(whole, string(got)) {
			return fmt.Errorf("got %d bytes and %v of a response that was broken off", len(got), err)
		}
		return nil
	case readSlowly:
		var got strings.Builder
		buf := make([]byte, 2<<10)
		for {
			m, err := resp.Body.Read(buf)
			got.Write(buf[:m])
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			time.Sleep(time.Millisecond)
		}
		if got.String() != whole {
			return fmt.Errorf("got %d bytes instead of %d", got.Len(), len(whole))
		}
		return nil
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if string(got) != whole {
		return fmt.Errorf("got %d bytes instead of %d", len(got), len(whole))
	}
	return nil
}

// holdings is what a process holds.
type holdings struct {
	goroutines, files int
	heap              int64 // bytes in use, garbage collected
	resident          int64 // bytes of memory
}

func holdingsNow() holdings {
	runtime.GC() // pools give up what they hold at the second collection
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // none where the system does not tell
	return holdings{runtime.NumGoroutine(), len(files), int64(m.HeapAlloc), residentMemory()}
}

// settled waits until connections that are being closed are gone: until no more is held than most, or for a while when that is nil.
func settled(most *holdings) holdings {
	least := holdingsNow()
	for i := range 600 {
		if most == nil && i == 10 || most != nil && least.goroutines <= most.goroutines && least.files <= most.files {
			break
		}
		time.Sleep(50 * time.Millisecond)
		if now := holdingsNow(); now.goroutines <= least.goroutines && now.files <= least.files {
			least = now
		}
	}
	return least
}

// TestSoak sends -soak exchanges: whole responses and streams, with clients that vanish (5 %), upstreams that reset (5 %) and slow
// readers (5 %). Nothing may be held behind them, and every exchange that was sent is on the tape as it took place.
func TestSoak(t *testing.T) {
	up := &soakUpstream{}
	d := newDeck(t, up, nil)
	transport := &http.Transport{MaxIdleConnsPerHost: soakClients, DisableCompression: true}
	client := &http.Client{Transport: transport}
	var next atomic.Int64
	load := func(until int) {
		var clients sync.WaitGroup
		for range soakClients {
			clients.Go(func() {
				for {
					n := int(next.Add(1)) - 1
					if n >= until {
						return
					}
					if err := up.ask(client, d.url, question(n)); err != nil {
						t.Errorf("question %d: %v", n, err)
					}
				}
			})
		}
		clients.Wait()
		next.Store(int64(until))
		transport.CloseIdleConnections()
		d.server.sender.close()
		if err := d.tape.Recorder.Sync(t.Context()); err != nil {
			t.Error(err)
		}
	}

	load(*soak / 10) // pools, caches and the tape's own files come to be
	before := settled(nil)
	before.files += 2 // the tape opens a connection for its first checkpoint, which may come late
	start := time.Now()
	load(*soak)
	took := time.Since(start)
	after := settled(&before)
	stats := d.tape.Recorder.Stats()
	t.Logf("the last %d exchanges took %v; %d sent, %d recorded, %d unrecorded", *soak-*soak/10, took.Round(time.Millisecond), *soak, stats.Committed, stats.Unrecorded)
	t.Logf("goroutines %d, then %d; files %d, then %d; heap %d KiB, then %d KiB; resident %d MiB, then %d MiB",
		before.goroutines, after.goroutines, before.files, after.files, before.heap>>10, after.heap>>10, before.resident>>20, after.resident>>20)
	if after.goroutines > before.goroutines || after.files > before.files {
		t.Error("goroutines or files were left behind")
	}
	if after.heap-before.heap > 8<<20 || after.resident-before.resident > 64<<20 {
		t.Error("memory was left behind")
	}
	if stats.Committed != int64(*soak) || stats.Unrecorded != 0 || stats.InFlight != 0 || stats.Queued != 0 {
		t.Errorf("sent %d, but the recorder says %+v", *soak, stats)
	}
	d.stop(t)
	checkSoak(t, d.path, *soak)
}

// checkSoak compares the tape with the questions.
func checkSoak(t *testing.T, path string, sent int) {
	t.Helper()
	tp, err := tape.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer tp.Close()
	seen := make([]bool, sent)
	got, want := make(map[tape.Ended]int), make(map[tape.Ended]int)
	for n := range sent {
		want[question(n).ended()]++
	}
	for x, err := range tp.Exchanges(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(x.Labels["question"])
		if err != nil || number >= sent || seen[number] {
			t.Fatalf("exchange %d is labelled %q, which is none or was there before", x.Seq, x.Labels)
		}
		seen[number] = true
		got[x.Ended]++
		n := question(number)
		if x.Ended != n.ended() || x.Request.URL != n.path() {
			t.Errorf("question %d: %s %s (%s), want %s %s", n, x.Request.URL, x.Ended, x.Cause, n.path(), n.ended())
		}
		if x.Request.Body.SHA256 != sha256.Sum256([]byte(n.request())) {
			t.Errorf("question %d: another request of %d bytes", n, x.Request.Body.Size)
		}
		whole := strings.Join(n.pieces(), "")
		if x.Ended == tape.Complete && x.Response.Body.SHA256 != sha256.Sum256([]byte(whole)) {
			t.Errorf("question %d: another response of %d bytes, want %d", n, x.Response.Body.Size, len(whole))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("how exchanges ended (-want +got):\n%s", diff)
	}
	t.Logf("on the tape: %v", got)
}
