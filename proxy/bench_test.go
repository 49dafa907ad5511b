package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/elazarl/goproxy"
)

// BenchmarkProxy compares three ways to one upstream in one run: straight to it, through a plain goproxy that reads requests first as a
// recorder must, and through this proxy, which records everything. Client, proxy and upstream share the machine.
func BenchmarkProxy(b *testing.B) {
	answer := []byte(`{"choices":[{"message":{"role":"assistant","content":"` + strings.Repeat("some words of an answer ", 80) + `"}}]}`)
	events := []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" token\"}}],\"object\":\"chat.completion.chunk\"}\n\n")
	upstream := http.NewServeMux()
	upstream.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	})
	upstream.HandleFunc("/sse", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range 200 {
			w.Write(events)
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, "data: [DONE]\n\n")
	})
	for _, path := range []string{"/json", "/sse"} {
		b.Run("direct"+path, func(b *testing.B) {
			srv := httptest.NewServer(upstream)
			defer srv.Close()
			ask(b, srv.URL+path)
		})
		b.Run("goproxy"+path, func(b *testing.B) {
			srv := httptest.NewServer(upstream)
			defer srv.Close()
			plain := httptest.NewServer(plainGoproxy(srv.Listener.Addr().String()))
			defer plain.Close()
			ask(b, plain.URL+path)
		})
		b.Run("exodeck"+path, func(b *testing.B) {
			d := newDeck(b, upstream, nil)
			ask(b, d.url+path)
			b.StopTimer()
			d.stop(b)
		})
	}
}

// plainGoproxy is goproxy as one sets it up by hand in front of one upstream, reading the request first.
func plainGoproxy(host string) http.Handler {
	p := goproxy.NewProxyHttpServer()
	p.Tr = &http.Transport{MaxIdleConns: idleConns, MaxIdleConnsPerHost: idleConns}
	p.NonproxyHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "http", host
		p.ServeHTTP(w, r)
	})
	p.OnRequest().DoFunc(func(r *http.Request, _ *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return r, goproxy.NewResponse(r, goproxy.ContentTypeText, http.StatusBadRequest, err.Error())
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return r, nil
	})
	return p
}

// ask sends b.N requests of 6 KB, each with a text of its own, from 16 clients at once for each processor.
func ask(b *testing.B, url string) {
	transport := &http.Transport{MaxIdleConnsPerHost: 1024, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	filler := strings.Repeat("You have these tools to help the user with. ", 136)
	var nonce atomic.Int64
	b.SetParallelism(8)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			body := fmt.Sprintf(`{"model":"m","nonce":%d,"messages":[{"role":"user","content":%q}]}`, nonce.Add(1), filler)
			resp, err := client.Post(url, "application/json", strings.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK {
				b.Errorf("status %d, %v", resp.StatusCode, err)
				return
			}
		}
	})
}
