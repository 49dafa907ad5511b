package proxy

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// responseWriter passes each piece of a response to the client at once, whatever its media type: goproxy flushes event streams
// only, and holds headers back until the first byte of the body.
type responseWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	// left is how much of a body of known length is still to be written; negative when the length is not known.
	left        int64
	wroteHeader bool
	// last has the connection closed behind the response.
	last bool
	// silent keeps everything from the client.
	silent bool

	mu       sync.Mutex
	hijacked net.Conn
}

func newResponseWriter(w http.ResponseWriter) *responseWriter {
	return &responseWriter{ResponseWriter: w, control: http.NewResponseController(w)}
}

func (w *responseWriter) WriteHeader(code int) {
	if w.silent {
		return
	}
	h := w.Header()
	// What the upstream did not send is not made up for it.
	for _, name := range [...]string{"Date", "Content-Type"} {
		if _, ok := h[name]; !ok {
			h[name] = nil
		}
	}
	if w.last && code != http.StatusSwitchingProtocols {
		h.Set("Connection", "close")
	}
	w.left = -1
	if n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil {
		w.left = n
	}
	w.wroteHeader = true
	w.ResponseWriter.WriteHeader(code)
	if w.left < 0 && code != http.StatusSwitchingProtocols {
		w.control.Flush()
	}
}

func (w *responseWriter) Write(p []byte) (int, error) {
	if w.silent {
		return len(p), nil
	}
	n, err := w.ResponseWriter.Write(p)
	if w.left >= 0 {
		w.left -= int64(n)
	}
	// The end of a body of known length goes out with the end of the response, in one packet.
	if err == nil && w.left != 0 {
		err = w.control.Flush()
	}
	return n, err
}

// Flush does nothing: whatever was written has been flushed, or is about to be.
func (w *responseWriter) Flush() {}

func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements [http.Hijacker] for goproxy's WebSocket relay.
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.control.Hijack()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hijacked = conn
	return conn, rw, err
}

// closeHijacked closes the client's side of a relay: once it has ended, which goproxy does not, and when the server stops.
func (w *responseWriter) closeHijacked() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hijacked != nil {
		w.hijacked.Close()
	}
}
