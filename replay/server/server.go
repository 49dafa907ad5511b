package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/exodeck/exodeck/proxy/apierror"
	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/match"
	"github.com/exodeck/exodeck/replay/show"
)

const (
	// MissStatus is the status of the answer to a request that no exchange answers. SDKs show the message of a 400 and do not ask again.
	// Nor does a suite take it for a fact about the server, as it would a 404: exo's own tools poll an instance until it is not found.
	MissStatus = http.StatusBadRequest
	// maxRequest bounds the body of a request.
	maxRequest = 256 << 20
	// headTimeout bounds how long a client may take to send the head of a request.
	headTimeout = time.Minute
	idleTimeout = 2 * time.Minute
	maxHead     = 1 << 20
)

// Config says what a [Server] serves, and how. Source is needed; everything else has a working zero value.
type Config struct {
	Source Source
	// Match says what may answer a request. A server always sets its SameMode.
	Match  match.Options
	Timing Timing
	// OnMiss is told of each request that no exchange answers, from the goroutine of the request.
	OnMiss func(*match.Miss)
	// Forward takes the requests that no exchange answers; nil answers them with an error.
	Forward http.Handler
	// Log takes a line for each answer, and what goes wrong; nil means slog.Default().
	Log *slog.Logger
}

// Server is the replay server. It is an [http.Handler], and [Server.Serve] runs it on a listener.
type Server struct {
	source  Source
	index   *match.Index
	timing  Timing
	onMiss  func(*match.Miss)
	forward http.Handler
	log     *slog.Logger
	// active is held for reading by each request under way.
	active sync.RWMutex
}

var _ http.Handler = (*Server)(nil)

// New makes a server of the exchanges of cfg.Source, which has to stay open as long as the server is used.
func New(ctx context.Context, cfg Config) (*Server, error) {
	cfg.Match.SameMode = true
	index, err := match.NewIndex(ctx, cfg.Source, cfg.Match)
	if err != nil {
		return nil, err
	}
	return &Server{
		source:  cfg.Source,
		index:   index,
		timing:  cfg.Timing,
		onMiss:  cfg.OnMiss,
		forward: cfg.Forward,
		log:     cmp.Or(cfg.Log, slog.Default()),
	}, nil
}

// Len returns the number of exchanges that may answer.
func (s *Server) Len() int { return s.index.Len() }

// Report tells what has been asked for until now, and what was missed.
func (s *Server) Report() match.Report { return s.index.Report() }

// Serve answers requests on a listener until ctx is done. It then breaks off what is under way and returns when that has ended. Only
// through Serve do responses have their recorded reason phrases.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	serving, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	srv := &http.Server{
		Handler:                      s,
		ReadHeaderTimeout:            headTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHead,
		BaseContext:                  func(net.Listener) context.Context { return serving },
		ConnContext:                  withConn,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		DisableGeneralOptionsHandler: true,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(reasonListener{ln}) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	stop(record.ErrStopped)
	err := srv.Close()
	<-served
	s.active.Lock()
	defer s.active.Unlock()
	return err
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.active.RLock()
	defer s.active.RUnlock()
	start := time.Now()
	ctx := r.Context()
	sent, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		s.refuse(w, r, apierror.Error{Status: http.StatusRequestEntityTooLarge, Kind: "invalid_request_error",
			Message: fmt.Sprintf("exodeck replays no requests of more than %d MiB", maxRequest>>20)})
		return
	}
	if err != nil || ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	hit, err := s.index.Find(ctx, match.Request{Method: r.Method, URL: r.RequestURI, Header: r.Header, Body: sent})
	if miss, ok := errors.AsType[*match.Miss](err); ok {
		s.miss(w, r, sent, miss)
		return
	}
	var x *tape.Exchange
	if err == nil {
		x, err = s.source.Exchange(ctx, hit.Exchange.Ref) // which knows its pieces
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	said := []any{"method", r.Method, "url", show.Target(x.Request.URL), "exchange", fmt.Sprintf("%s/%d", x.Session, x.Seq), "rule", string(hit.Rule), "again", hit.Again}
	if hit.Filled {
		said = append(said, "filled", true)
	}
	s.log.Info("answered", said...)
	a := answer{server: s, x: x, pace: pace{s.timing, start}}
	a.write(w, r)
}

// miss answers a request that no exchange answers.
func (s *Server) miss(w http.ResponseWriter, r *http.Request, sent []byte, miss *match.Miss) {
	if s.onMiss != nil {
		s.onMiss(miss)
	}
	if s.forward != nil {
		r.Body = io.NopCloser(bytes.NewReader(sent))
		s.forward.ServeHTTP(w, r)
		return
	}
	s.refuse(w, r, apierror.Error{Status: MissStatus, Kind: apierror.NotRecorded, Message: miss.Error()})
}

// fail answers a request whose recorded answer cannot be had.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody is there to be told
	}
	s.log.Error("the recording cannot be read", "method", r.Method, "path", r.URL.Path, "error", err)
	s.refuse(w, r, apierror.Error{Status: http.StatusInternalServerError, Kind: "api_error", Message: "exodeck cannot read its recording: " + err.Error()})
}

// refuse answers with an error of the server itself.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, e apierror.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	// A client that is gone by now has no use for the message.
	_, _ = w.Write(e.Body(r.Method, r.URL.Path))
}
