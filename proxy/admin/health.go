package admin

import (
	"fmt"
	"net/http"
	"sync"
)

// health tells whether what passes gets on the tape. Recording is taken to fail from the first exchange that went unrecorded until
// one has been recorded again.
type health struct {
	recorder Recorder

	mu         sync.Mutex
	failing    bool
	committed  int64 // when the failure was seen
	unrecorded int64 // when last looked at
}

// problem says why recording fails, "" when it does not.
func (h *health) problem() string {
	stats := h.recorder.Stats()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case stats.Unrecorded > h.unrecorded:
		h.failing, h.committed = true, stats.Committed
	case stats.Committed > h.committed:
		h.failing = false
	}
	h.unrecorded = stats.Unrecorded
	if !h.failing {
		return ""
	}
	return fmt.Sprintf("recording fails: %d exchanges are not on the tape; the last error: %v", stats.Unrecorded, stats.LastError)
}

// ServeHTTP implements [http.Handler].
func (h *health) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	problem := h.problem()
	if problem == "" {
		fmt.Fprintln(w, "ok")
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprintln(w, problem)
}
