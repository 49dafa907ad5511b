package tape

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var kills = flag.Int("tape.kill", 5, "how many recorders TestKill kills")

// killEnv names the tape in the environment of the process that TestKill kills.
const killEnv = "EXODECK_TEST_KILL_TAPE"

// settleTime is how long after a call its effect has to be on the tape, on a machine that does not stand still.
const settleTime = 50 * time.Millisecond

// TestKill kills recorders under load at random moments. What had been handed in long enough before is on the tape. What else the machine
// does can make a recorder late, so that of several one has to be in time.
func TestKill(t *testing.T) {
	if path := os.Getenv(killEnv); path != "" {
		recordUntilKilled(t, path)
		return
	}
	for i := range *kills {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			var late []string
			for range 5 {
				if late = killOne(t, time.Duration(50+rand.IntN(700))*time.Millisecond); len(late) == 0 {
					return
				}
				t.Logf("late: %s", strings.Join(late, "; "))
			}
			t.Errorf("each recorder was late, the last one with %s", strings.Join(late, "; "))
		})
	}
}

// recordUntilKilled is the child: it records until it is killed and prints each step when it has been taken:
// "arrived" or "ended", the number of the exchange, the time.
func recordUntilKilled(t *testing.T, path string) {
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.StartSession(t.Context(), Session{Upstream: "http://exo.local:52415"})
	if err != nil {
		t.Fatal(err)
	}
	var out sync.Mutex
	say := func(what string, seq int64) {
		out.Lock()
		defer out.Unlock()
		fmt.Fprintln(os.Stdout, what, seq, time.Now().UnixNano())
	}
	go beat(path+".beat", say)
	for range 8 {
		go func() {
			for {
				x := s.Begin(post("tiny"))
				seq := x.Ref().Seq
				x.RequestBody(killBody(seq, "request"))
				x.RequestEnd(nil)
				say("arrived", seq)
				x.ResponseHead(200, "OK", false, "HTTP/1.1", http.Header{"Content-Type": {"text/event-stream"}}, 0)
				for chunk := range chunks(killBody(seq, "response"), 3000) {
					x.ResponseBody(chunk, time.Millisecond)
					if seq%7 == 0 {
						time.Sleep(time.Millisecond)
					}
				}
				x.End(Complete, "", nil, time.Millisecond)
				say("ended", seq)
				time.Sleep(time.Duration(seq%5) * time.Millisecond)
			}
		}()
	}
	select {} // until killed
}

// beat writes to the disk every few milliseconds and says so. What the machine takes away from these beats it takes from the recorder too.
func beat(path string, say func(what string, seq int64)) {
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	for block := make([]byte, 32<<10); ; time.Sleep(2 * time.Millisecond) {
		if _, err := f.WriteAt(block, 0); err != nil {
			panic(err)
		}
		say("beat", 0)
	}
}

// killBody makes the body of one exchange out of its number. Some are large enough to be spooled.
func killBody(seq int64, what string) []byte {
	size := 2000
	if seq%20 == 0 && what == "response" {
		size = 3 * maxPart
	}
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], uint64(seq))
	copy(seed[8:], what)
	body := make([]byte, size)
	rand.NewChaCha8(seed).Read(body)
	return body
}

// step is what the child printed about an exchange: when its request and its response had been handed in. Zero is not at all.
type step struct{ arrived, ended time.Time }

// killOne kills a recorder some time after its first exchange, and returns what came too late to the tape.
func killOne(t *testing.T, after time.Duration) (late []string) {
	path := filepath.Join(t.TempDir(), "test.tape")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), killEnv+"="+path)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := make(chan time.Time, 1)
	kill := sync.OnceFunc(func() {
		time.AfterFunc(after, func() {
			killed <- time.Now()
			_ = cmd.Process.Kill()
		})
	})
	steps := make(map[int64]step)
	var lastBeat time.Time
	var stall time.Duration // the longest time between two beats
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var what string
		var seq, nanos int64
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %d", &what, &seq, &nanos); err != nil {
			continue // the kill may cut a line off
		}
		if what != "beat" {
			kill()
		}
		st := steps[seq]
		switch what {
		case "arrived":
			st.arrived = time.Unix(0, nanos)
		case "ended":
			st.ended = time.Unix(0, nanos)
		case "beat":
			at := time.Unix(0, nanos)
			if !lastBeat.IsZero() {
				stall = max(stall, at.Sub(lastBeat))
			}
			lastBeat = at
			continue
		}
		steps[seq] = st
	}
	_ = cmd.Wait() // it was killed
	if len(steps) == 0 {
		t.Fatal("the recorder recorded nothing")
	}
	at := <-killed
	stall = max(stall, at.Sub(lastBeat))
	t.Logf("the machine stood still for up to %v", stall)
	return checkKilled(t, path, steps, at.Add(-settleTime-stall))
}

// checkKilled compares the tape with what its recorder had said before it was killed. It returns what was handed in before settled and
// is not there.
func checkKilled(t *testing.T, path string, steps map[int64]step, settled time.Time) (late []string) {
	tp := openTape(t, path)
	onTape := make(map[int64]*Exchange)
	counts := make(map[Ended]int)
	for _, x := range all(t, tp, Query{}) {
		onTape[x.Seq] = x
		counts[x.Ended]++
		if got := readBody(t, tp, x.Request.Body); !bytes.Equal(got, killBody(x.Seq, "request")) {
			t.Errorf("exchange %d has another request of %d bytes", x.Seq, len(got))
		}
		response, want := readBody(t, tp, x.Response.Body), killBody(x.Seq, "response")
		switch {
		case x.Ended == Complete && !bytes.Equal(response, want):
			t.Errorf("exchange %d has another response of %d bytes", x.Seq, len(response))
		case x.Ended == Interrupted && !bytes.HasPrefix(want, response):
			t.Errorf("interrupted exchange %d has %d bytes that are not the first of its response", x.Seq, len(response))
		case x.Ended != Complete && x.Ended != Interrupted:
			t.Errorf("exchange %d ended %q", x.Seq, x.Ended)
		}
	}
	for seq, st := range steps {
		x := onTape[seq]
		if !st.ended.IsZero() && st.ended.Before(settled) && (x == nil || x.Ended != Complete) {
			late = append(late, fmt.Sprintf("exchange %d, which ended %v before it had to be on the tape and is not complete: %+v", seq, settled.Sub(st.ended), x))
		}
		if !st.arrived.IsZero() && st.arrived.Before(settled) && x == nil {
			late = append(late, fmt.Sprintf("the request of exchange %d, which came %v before it had to be on the tape and is not", seq, settled.Sub(st.arrived)))
		}
	}
	if err := tp.Close(); err != nil {
		t.Error(err)
	}

	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatalf("recording again: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if got := column(t, rawDB(t, path), `PRAGMA integrity_check`); len(got) != 1 || got[0] != "ok" {
		t.Errorf("integrity check: %v", got)
	}
	again := openTape(t, path)
	for _, x := range all(t, again, Query{}) {
		if was := onTape[x.Seq]; was == nil || was.Ended != x.Ended || was.Response.Body.SHA256 != x.Response.Body.SHA256 {
			t.Errorf("exchange %d was %+v and is %+v after the next recorder", x.Seq, was, x)
		}
	}
	t.Logf("%d exchanges: %v", len(onTape), counts)
	return late
}
