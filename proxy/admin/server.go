package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// requestTimeout bounds how long a client may take for a request, and answerTimeout how long it may take to read the answer.
	requestTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second
	// maxHead bounds the head of a request; a probe's is some hundred bytes.
	maxHead = 16 << 10
)

// Server answers /healthz and /metrics. It is an [http.Handler], and [Server.Serve] runs it on a listener.
type Server struct {
	// Name is a host name by which the server may be asked, beside localhost and the address a connection came in at; "" for none.
	Name string
	// Log takes what is refused; nil means slog.Default().
	Log *slog.Logger

	mux *http.ServeMux
}

// New returns a server that shows metrics and the health of a recorder.
func New(metrics *Metrics, recorder Recorder) *Server {
	s := &Server{mux: http.NewServeMux()}
	s.mux.Handle("GET /healthz", &health{recorder: recorder})
	s.mux.Handle("GET /metrics", metrics.handler())
	s.mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "exodeck: /healthz tells whether recording works, /metrics is for Prometheus")
	})
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.named(r) {
		s.log().Warn("refused a request for the admin listener", "host", r.Host)
		http.Error(w, "this listener answers to its own address and to localhost only, not to the Host of this request", http.StatusForbidden)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// named reports whether a request names this server. One that was sent by a web page whose host name has been pointed at this
// address names that host.
func (s *Server) named(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	ip, port, err := net.SplitHostPort(local.String())
	if err != nil {
		return false
	}
	host, asked, err := net.SplitHostPort(r.Host)
	if err != nil { // without a port
		host, asked = strings.Trim(r.Host, "[]"), port
	}
	if asked != port {
		return false
	}
	return strings.EqualFold(host, "localhost") || host == ip || s.Name != "" && strings.EqualFold(host, s.Name)
}

// Serve answers requests until ctx is done.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:        s,
		ReadTimeout:    requestTimeout,
		WriteTimeout:   answerTimeout,
		MaxHeaderBytes: maxHead,
		ErrorLog:       slog.NewLogLogger(s.log().Handler(), slog.LevelDebug),
	}
	closed := make(chan error, 1)
	release := context.AfterFunc(ctx, func() { closed <- srv.Close() })
	err := srv.Serve(ln)
	if release() { // ctx is not done
		return fmt.Errorf("serving on %s: %w", ln.Addr(), errors.Join(err, srv.Close()))
	}
	return <-closed
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.Default()
	}
	return s.Log
}
