package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/elazarl/goproxy"

	"github.com/exodeck/exodeck/proxy/record"
)

const (
	// dialTimeout bounds how long connecting to the upstream may take. Nothing bounds how long it may think: exo's own client
	// waits for two hours.
	dialTimeout = 10 * time.Second
	// headerTimeout bounds how long a client may take to send the head of a request.
	headerTimeout = time.Minute
	idleTimeout   = 2 * time.Minute
	// idleConns is how many connections to the upstream are kept for the next request.
	idleConns = 1024
)

// Config says what a [Server] stands in front of and where it records. Upstream and Session are needed.
type Config struct {
	// Upstream is the base URL that requests are sent to, http or https (certificates are verified).
	Upstream *url.URL
	// Session takes the exchanges.
	Session record.Session
	// Redactor takes credentials out of what is kept.
	Redactor *record.Redactor
	// Labels are kept with every exchange.
	Labels map[string]string
	// Strict holds back the end of each response until its exchange is on the tape; see [record.Transport].
	Strict bool
	// OnEnd is told of every exchange that has ended.
	OnEnd func(record.Event)
	// Log takes what goes wrong with single connections; nil means slog.Default().
	Log *slog.Logger
}

// Server is the recording reverse proxy. It is an [http.Handler], and [Server.Serve] runs it on a listener.
type Server struct {
	upstream *url.URL
	origin   string // the upstream as it is shown and recorded
	recorder *record.Transport
	base     *http.Transport
	goproxy  *goproxy.ProxyHttpServer
	log      *slog.Logger
	stop     context.CancelCauseFunc
	stopped  context.Context
	active   sync.WaitGroup // passages under way, hijacked ones included
}

// New returns a server for the configuration. [Server.Close] frees its connections.
func New(cfg Config) (*Server, error) {
	if err := checkUpstream(cfg.Upstream); err != nil {
		return nil, err
	}
	if cfg.Session == nil {
		return nil, errors.New("a proxy needs a session to record to")
	}
	s := &Server{
		upstream: cfg.Upstream,
		origin:   cfg.Upstream.String(),
		base:     NewTransport(),
		log:      cfg.Log,
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.stopped, s.stop = context.WithCancelCause(context.Background())
	s.recorder = &record.Transport{
		Base:     s.base,
		Session:  cfg.Session,
		Upstream: s.origin,
		BasePath: basePath(cfg.Upstream),
		Redactor: cfg.Redactor,
		Labels:   cfg.Labels,
		Strict:   cfg.Strict,
		OnEnd:    cfg.OnEnd,
	}
	s.goproxy = newGoproxy(s.base, s.log)
	return s, nil
}

func checkUpstream(u *url.URL) error {
	switch {
	case u == nil:
		return errors.New("a proxy needs an upstream, such as http://localhost:52415")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the upstream %q is no http or https URL; write it like http://localhost:52415", u.Redacted())
	case u.Host == "":
		return fmt.Errorf("the upstream %q names no host; write it like http://localhost:52415", u.Redacted())
	case u.User != nil:
		return fmt.Errorf("the upstream %q carries a user name: let the clients send an Authorization header, it is passed on", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the upstream %q has a query or a fragment; give scheme, host, port and at most a path", u.Redacted())
	}
	return nil
}

func basePath(u *url.URL) string { return strings.TrimSuffix(u.EscapedPath(), "/") }

// NewTransport returns the transport to an upstream. It honours no proxy variables (only the upstream is ever contacted), decodes
// nothing, and speaks HTTP/1.1, so that what is recorded is what was sent.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:           dialer.DialContext,
		DisableCompression:    true,
		MaxIdleConns:          idleConns,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   dialTimeout,
		ExpectContinueTimeout: 5 * time.Second,
		Protocols:             protocols,
	}
}

func newGoproxy(base *http.Transport, log *slog.Logger) *goproxy.ProxyHttpServer {
	p := goproxy.NewProxyHttpServer()
	p.Logger = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	// Both defaults would reach beyond the upstream: through HTTP_PROXY, and to hosts whose certificates are not verified.
	p.Tr = base
	p.ConnectDial = nil
	p.KeepHeader = true // which headers pass is decided in request.go
	p.KeepAcceptEncoding = true
	p.OnRequest().DoFunc(func(r *http.Request, ctx *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		ctx.RoundTripper = passageOf(r)
		return r, nil
	})
	return p
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if reason := misdirected(r); reason != "" {
		s.log.Warn("refused a request", "method", r.Method, "host", r.Host, "reason", reason)
		writeError(w, r, http.StatusForbidden, "forbidden", reason)
		return
	}
	s.active.Add(1)
	defer s.active.Done()
	newPassage(s, w).run(r)
}

// Serve accepts connections until ctx is done, then finishes what is in flight, for as long as that takes. [Server.Stop] cuts it short.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return s.stopped },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// "OPTIONS *" is the upstream's to answer.
		DisableGeneralOptionsHandler: true,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	err := srv.Shutdown(s.stopped)
	if s.stopped.Err() != nil {
		err = srv.Close()
	}
	// Neither waits for handlers whose connection was closed or taken over, and they still have exchanges to end.
	s.active.Wait()
	<-served
	return err
}

// Stop breaks off everything in flight. Exchanges that it cuts are marked as interrupted on the tape.
func (s *Server) Stop() { s.stop(record.ErrStopped) }

// Close stops the server and frees its connections to the upstream.
func (s *Server) Close() error {
	s.Stop()
	s.base.CloseIdleConnections()
	return nil
}
