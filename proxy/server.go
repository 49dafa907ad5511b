package proxy

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/elazarl/goproxy"

	"github.com/exodeck/exodeck/proxy/record"
)

const (
	// headTimeout bounds how long a client may take to send the head of a request. Nothing bounds how long its body may take.
	headTimeout = time.Minute
	idleTimeout = 2 * time.Minute
	// maxHead bounds the head of a request; larger ones are refused with 431.
	maxHead = 1 << 20
)

// Config says what a [Server] stands in front of and where it records. It needs an upstream of some kind: Upstream, Named or Forward.
type Config struct {
	// Upstream is the base URL of the upstream that takes all requests which no other takes, http or https (certificates are
	// verified). It may be nil.
	Upstream *url.URL
	// Session takes the exchanges with Upstream.
	Session record.Session
	// Named are upstreams chosen by the first segment of the path, or by the listener; see [Named].
	Named []Named
	// Forward makes the server an HTTP proxy for requests in absolute form; nil refuses them.
	Forward *Forward
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

	headTimeout time.Duration // headTimeout when zero; tests are shorter of time
}

// Server is the recording proxy. It is an [http.Handler], and [Server.Serve] runs it on a listener.
type Server struct {
	main    *destination // nil when there is none
	named   []*destination
	forward *destination // nil when there is none
	hosts   []Host       // that are forwarded to

	sender      *sender
	goproxy     *goproxy.ProxyHttpServer
	log         *slog.Logger
	headTimeout time.Duration
	stop        context.CancelCauseFunc
	stopped     context.Context
	// halted ends once stopped has ended for every request: only then may connections be closed, or exchanges would look as if their
	// clients had gone.
	halt   context.CancelFunc
	halted context.Context
	active sync.WaitGroup // passages under way, hijacked ones included
}

// New returns a server for the configuration. [Server.Close] frees its connections.
func New(cfg Config) (*Server, error) {
	log := cmp.Or(cfg.Log, slog.Default())
	s := &Server{
		sender:      newSender(log),
		log:         log,
		headTimeout: cmp.Or(cfg.headTimeout, headTimeout),
	}
	if err := s.setDestinations(cfg); err != nil {
		return nil, err
	}
	s.stopped, s.stop = context.WithCancelCause(context.Background())
	s.halted, s.halt = context.WithCancel(context.Background())
	s.goproxy = newGoproxy(s.sender.kept, s.log)
	return s, nil
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
	to, r, err := s.route(r)
	if err != nil {
		s.log.Warn("refused a request", "method", r.Method, "path", r.URL.Path, "host", r.Host, "reason", err.reason)
		writeError(w, r, err)
		return
	}
	s.active.Add(1)
	defer s.active.Done()
	newPassage(s, to, w).run(r)
}

// Serve accepts connections until ctx is done, then finishes what is in flight, for as long as that takes. [Server.Stop] cuts it short.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	return s.serve(ctx, ln, nil)
}

// ServeNamed is as [Server.Serve], on a listener whose requests all go to one named upstream: their paths need no prefix.
func (s *Server) ServeNamed(ctx context.Context, ln net.Listener, name string) error {
	for _, d := range s.named {
		if d.name == name {
			return s.serve(ctx, ln, d)
		}
	}
	return fmt.Errorf("no upstream is called %q", name)
}

// serve serves on a listener, for one upstream alone when only is not nil.
func (s *Server) serve(ctx context.Context, ln net.Listener, only *destination) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.headTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHead,
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(s.stopped, onlyKey{}, only) },
		ConnContext:       connContext,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// "OPTIONS *" is the upstream's to answer.
		DisableGeneralOptionsHandler: true,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener{ln, s.log}) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	err := srv.Shutdown(s.halted)
	if s.halted.Err() != nil {
		err = srv.Close()
	}
	// Neither waits for handlers whose connection was closed or taken over, and they still have exchanges to end.
	s.active.Wait()
	<-served
	return err
}

// Stop breaks off everything in flight. Exchanges that it cuts are marked as interrupted on the tape.
func (s *Server) Stop() {
	s.stop(record.ErrStopped)
	s.halt()
}

// Close stops the server and frees its connections to the upstream.
func (s *Server) Close() error {
	s.Stop()
	s.sender.close()
	return nil
}
