package tape

import (
	"encoding/hex"
	"net/http"
	"testing"
	"time"
)

func sample() *Exchange {
	return &Exchange{
		Ref: Ref{Session: "s", Seq: 1}, Started: day, Upstream: "http://exo:1",
		Request: Request{Method: "POST", URL: "/v1/messages", Host: "h", Proto: "HTTP/1.1", Header: http.Header{"A": {"1", "2"}},
			Body: bodyOf("ask"), Trailer: http.Header{"T": {"t"}}},
		Response: Response{Status: 200, Reason: "Fine", Proto: "HTTP/1.1", Header: http.Header{"B": {"1"}}, Body: bodyOf("answer"),
			Trailer: http.Header{"U": {"u"}}},
		TTFB: time.Millisecond, Total: time.Second, Pieces: []Piece{{0, time.Millisecond}, {3, time.Second}},
		Ended: ClientGone, Cause: "gone", Labels: map[string]string{"k": "v"}, Facts: Facts{API: Claude},
	}
}

// TestDigest fixes the digest of one exchange: it is in run files and cassettes, so it never changes.
func TestDigest(t *testing.T) {
	sum := sample().Digest()
	const want = "43d221ea07c211bfcc6d1187c9fa3effe5d3ad5b6c59097c33867d77d300c217"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	for name, change := range map[string]func(x *Exchange){
		"session": func(x *Exchange) { x.Session = "other" },
		"seq":     func(x *Exchange) { x.Seq = 2 },
		"facts":   func(x *Exchange) { x.Facts = Facts{API: Other, Model: "m", Stream: true} },
		"zone":    func(x *Exchange) { x.Started = x.Started.In(time.FixedZone("", 3600)) },
		"row":     func(x *Exchange) { x.Request.Body.id = 7 },
	} {
		x := sample()
		if change(x); x.Digest() != sum {
			t.Errorf("%s changes the digest", name)
		}
	}
	seen := map[[32]byte]string{sum: "nothing"}
	for name, change := range map[string]func(x *Exchange){
		"started":          func(x *Exchange) { x.Started = x.Started.Add(1) },
		"upstream":         func(x *Exchange) { x.Upstream = "" },
		"method":           func(x *Exchange) { x.Request.Method = "PUT" },
		"url":              func(x *Exchange) { x.Request.URL = "/" },
		"host":             func(x *Exchange) { x.Request.Host = "i" },
		"proto":            func(x *Exchange) { x.Request.Proto = "HTTP/1.0" },
		"header value":     func(x *Exchange) { x.Request.Header.Set("A", "3") },
		"header order":     func(x *Exchange) { x.Request.Header["A"] = []string{"2", "1"} },
		"header split":     func(x *Exchange) { x.Request.Header["A"] = []string{"12"} },
		"header name":      func(x *Exchange) { x.Request.Header = http.Header{"B": {"1", "2"}} },
		"header":           func(x *Exchange) { x.Request.Header = nil },
		"request body":     func(x *Exchange) { x.Request.Body = bodyOf("asK") },
		"no request body":  func(x *Exchange) { x.Request.Body = Body{} },
		"request trailer":  func(x *Exchange) { x.Request.Trailer = nil },
		"status":           func(x *Exchange) { x.Response.Status = 201 },
		"reason":           func(x *Exchange) { x.Response.Reason = "" },
		"no reason":        func(x *Exchange) { x.Response.Reason, x.Response.NoReason = "", true },
		"response proto":   func(x *Exchange) { x.Response.Proto = "HTTP/1.0" },
		"response header":  func(x *Exchange) { x.Response.Header.Set("B", "2") },
		"response body":    func(x *Exchange) { x.Response.Body = bodyOf("other") },
		"response trailer": func(x *Exchange) { x.Response.Trailer.Set("U", "v") },
		"ttfb":             func(x *Exchange) { x.TTFB += time.Microsecond },
		"total":            func(x *Exchange) { x.Total += time.Microsecond },
		"piece offset":     func(x *Exchange) { x.Pieces[1].Offset++ },
		"piece time":       func(x *Exchange) { x.Pieces[1].At += time.Microsecond },
		"piece":            func(x *Exchange) { x.Pieces = x.Pieces[:1] },
		"ended":            func(x *Exchange) { x.Ended = Complete },
		"cause":            func(x *Exchange) { x.Cause = "" },
		"label":            func(x *Exchange) { x.Labels["k"] = "w" },
		"labels":           func(x *Exchange) { x.Labels = nil },
	} {
		x := sample()
		change(x)
		if was := seen[x.Digest()]; was != "" {
			t.Errorf("changing %s gives the same digest as changing %s", name, was)
		}
		seen[x.Digest()] = name
	}
}
