package cassette

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Cassette is a cassette that is open for reading. It keeps places in the file, not its contents, and may be used by several
// goroutines at a time.
type Cassette struct {
	path     string
	file     io.ReaderAt
	close    func() error
	head     Head
	sessions []*session
	index    []place // by session, then by line
	refs     map[tape.Ref]int
	bodies   map[[32]byte]bodyPlace
}

var _ Source = (*Cassette)(nil)

type session struct {
	sessionLine
	lastSeq int64
}

// place is what is kept of an exchange, to find it by and to read it again.
type place struct {
	line    int
	offset  int64
	size    int
	session int // number of the session
	tape.Ref
	started time.Time
	ended   tape.Ended
	facts   tape.Facts
	// request and response are the bodies.
	request, response tape.Body
}

// bodyPlace says which exchange has a body.
type bodyPlace struct {
	index    int
	response bool
}

// Open opens the cassette at path. All of it is read and checked now; bodies are read again when they are asked for.
func Open(path string) (*Cassette, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err, Hint: "check the path"}
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Error{Path: path, Err: fmt.Errorf("%w: it is no regular file", ErrNotCassette), Hint: hintFile}
	}
	if err == nil {
		c := &Cassette{path: path, file: f, close: f.Close}
		if err = c.load(f); err == nil {
			return c, nil
		}
	}
	err = errors.Join(err, f.Close())
	if _, ok := errors.AsType[*Error](err); !ok {
		err = &Error{Path: path, Err: err}
	}
	return nil, err
}

// Read reads a cassette that is no file, such as an embedded one, into memory. name is what errors call it.
func Read(r io.Reader, name string) (*Cassette, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRead+1))
	if err == nil && len(data) > maxRead {
		err = fmt.Errorf("%w: it has more than %d MiB; open it as a file", ErrTooLarge, maxRead>>20)
	}
	if err != nil {
		return nil, &Error{Path: name, Err: err}
	}
	file := bytes.NewReader(data)
	c := &Cassette{path: name, file: file, close: func() error { return nil }}
	if err := c.load(file); err != nil {
		return nil, err
	}
	return c, nil
}

// Close closes the file. Nothing can be read any more.
func (c *Cassette) Close() error { return c.close() }

// Head returns the first line; its Exchanges are counted, its SHA256 is "" when the file does not tell it.
func (c *Cassette) Head() Head { return c.head }

func (c *Cassette) load(r io.Reader) error {
	c.refs = map[tape.Ref]int{}
	c.bodies = map[[32]byte]bodyPlace{}
	in := newLineReader(r)
	hasHead := false
	for {
		data, offset, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			e := &Error{Path: c.path, Line: in.n + 1, Err: err}
			if errors.Is(err, ErrTooLarge) {
				e.Hint = "leave the exchange out"
			}
			return e
		}
		l, err := c.decode(data)
		if err == nil && l.head != nil && (hasHead || len(c.sessions)+len(c.index) > 0) {
			err = errors.New(`the line with "cassette" stands first`)
		}
		switch {
		case err != nil:
		case l.head != nil:
			c.head, hasHead = *l.head, true
		case l.session != nil:
			err = c.addSession(l.session)
		default:
			err = c.addExchange(l.exchange, place{line: in.n, offset: offset, size: len(data)})
		}
		if err != nil {
			return c.lineError(in.n, data, err)
		}
	}
	if hasHead {
		if err := c.check(in); err != nil {
			return err
		}
	}
	if !hasHead && len(c.index) == 0 {
		return &Error{Path: c.path, Err: fmt.Errorf("%w: there is nothing in it", ErrNotCassette), Hint: hintAgain}
	}
	c.head.Exchanges = len(c.index)
	c.finish()
	return nil
}

// decode reads a line. What is without a digest was written by hand, and may have names of headers in any case.
func (c *Cassette) decode(data []byte) (line, error) {
	l, err := decodeLine(data)
	if err == nil && l.exchange != nil && c.head.SHA256 == "" {
		err = l.exchange.nameHeaders()
	}
	return l, err
}

// check compares the lines with what the head says of them.
func (c *Cassette) check(in *lineReader) error {
	if n := c.head.Exchanges; n >= 0 && n != len(c.index) {
		return &Error{Path: c.path, Line: 1, Field: "exchanges", Err: fmt.Errorf("%w: the head speaks of %d exchanges, there are %d", ErrDamaged, n, len(c.index)),
			Hint: "take the file from where it came again; after a change that is meant, remove exchanges and sha256 from the first line"}
	}
	if sum := c.head.SHA256; sum != "" && sum != in.digest() {
		return &Error{Path: c.path, Line: 1, Field: "sha256", Err: fmt.Errorf("%w: the lines behind the head have another digest", ErrDamaged),
			Hint: "take the file from where it came again; after a change that is meant, remove exchanges and sha256 from the first line"}
	}
	return nil
}

// lineError says in which line, which is data, and in which field err is.
func (c *Cassette) lineError(n int, data []byte, err error) error {
	e := &Error{Path: c.path, Line: n, Err: err}
	if f, ok := errors.AsType[*fieldError](err); ok {
		e.Field, e.Err = f.field, f.err
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		e.Err = fmt.Errorf("it is no JSON at byte %d of the line: %w", syntax.ByteOffset+1, syntax.Err)
		e.Hint = "a line is one JSON object; mend it, or take the file from where it came again"
	}
	switch {
	case errors.Is(err, ErrNewer):
		e.Hint = "use a newer exodeck"
	case n == 1 && bytes.HasPrefix(data, []byte(tapeMark)):
		e.Err, e.Hint = fmt.Errorf("%w: it is a tape", ErrNotCassette), "exodeck cassette export --tape FILE makes a cassette of it"
	case n == 1 && leading(data) == "":
		if e.Field != "" {
			e.Field, e.Err = "", &fieldError{e.Field, e.Err}
		}
		e.Err, e.Hint = fmt.Errorf("%w: %w", ErrNotCassette, e.Err), "a cassette has an exchange a line; exodeck cassette import reads other recordings too"
	}
	return e
}

func (c *Cassette) addSession(s *sessionLine) error {
	if c.sessionNumber(s.Name) >= 0 {
		return in("session", fmt.Errorf("there are two sessions called %s", s.Name))
	}
	c.sessions = append(c.sessions, &session{sessionLine: *s})
	return nil
}

func (c *Cassette) sessionNumber(name string) int {
	return slices.IndexFunc(c.sessions, func(s *session) bool { return s.Name == name })
}

// defaultSession is the session of exchanges that name none.
const defaultSession = "s1"

// maxSessions bounds what a file can have looked through for each of its lines.
const maxSessions = 10_000

func (c *Cassette) addExchange(x *exchangeLine, p place) error {
	if !x.hasSession {
		if len(c.sessions) > 1 {
			return in("session", errors.New("it is missing, and there are several sessions"))
		}
		x.Session = defaultSession
		if len(c.sessions) == 1 {
			x.Session = c.sessions[0].Name
		}
	}
	p.session = c.sessionNumber(x.Session)
	if p.session < 0 {
		if len(c.sessions) >= maxSessions {
			return fmt.Errorf("%w: there are more than %d sessions", ErrTooLarge, maxSessions)
		}
		p.session = len(c.sessions)
		c.sessions = append(c.sessions, &session{sessionLine: sessionLine{Session: tape.Session{Name: x.Session}}})
	}
	s := c.sessions[p.session]
	if !x.hasSeq {
		x.Seq = s.lastSeq + 1
	}
	if x.Seq <= s.lastSeq {
		return in("seq", fmt.Errorf("%d does not follow %d, the one before it in session %s", x.Seq, s.lastSeq, s.Name))
	}
	s.lastSeq = x.Seq
	if !x.hasStarted {
		x.Started = c.nextStart()
	}
	p.Ref, p.started = x.Ref, x.Started
	c.fill(x, p)
	p.ended, p.facts = x.Ended, x.Facts
	p.request, p.response = x.Request.Body, x.Response.Body
	c.index = append(c.index, p)
	return nil
}

// nextStart is when an exchange started that does not say it: a second after the one before.
func (c *Cassette) nextStart() time.Time {
	if n := len(c.index); n > 0 {
		return c.index[n-1].started.Add(time.Second)
	}
	if !c.head.Created.IsZero() {
		return c.head.Created
	}
	return time.Unix(0, 0).UTC()
}

// fill gives an exchange what its line leaves out.
func (c *Cassette) fill(x *exchangeLine, p place) {
	x.Ref, x.Started = p.Ref, p.started
	if !x.hasUpstream {
		x.Upstream = c.sessions[p.session].Upstream
	}
	if !x.hasProto {
		x.Request.Proto = "HTTP/1.1"
	}
	if !x.hasResponseProto {
		x.Response.Proto = x.Request.Proto
	}
	x.Settle()
}

// finish puts the exchanges in recorded order and says when the sessions started.
func (c *Cassette) finish() {
	slices.SortStableFunc(c.index, func(a, b place) int { return cmp.Compare(a.session, b.session) })
	for i, p := range c.index {
		c.refs[p.Ref] = i
		if p.request.Size > 0 {
			c.bodies[p.request.SHA256] = bodyPlace{i, false}
		}
		if p.response.Size > 0 {
			c.bodies[p.response.SHA256] = bodyPlace{i, true}
		}
		s := c.sessions[p.session]
		s.Exchanges++
		if s.Started.IsZero() || p.started.Before(s.Started) {
			s.Started = p.started
		}
	}
	// Sessions are told in the order of their starts. One that has none of its own, or a later one than the next, starts with that.
	for i := len(c.sessions) - 2; i >= 0; i-- {
		s, next := c.sessions[i], c.sessions[i+1]
		if s.Started.IsZero() || s.Started.After(next.Started) && !next.Started.IsZero() {
			s.Started = next.Started
		}
	}
}

// Sessions returns the sessions in their order.
func (c *Cassette) Sessions(context.Context) ([]tape.Session, error) {
	sessions := make([]tape.Session, len(c.sessions))
	for i, s := range c.sessions {
		sessions[i] = s.Session
	}
	return sessions, nil
}

// Exchanges yields the exchanges that q asks for, in recorded order. It ends with the first error.
func (c *Cassette) Exchanges(ctx context.Context, q tape.Query) iter.Seq2[*tape.Exchange, error] {
	return func(yield func(*tape.Exchange, error) bool) {
		for x, err := range c.Entries(ctx, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			exchange := x.Exchange
			if !yield(&exchange, nil) {
				return
			}
		}
	}
}

// Entries is as Exchanges, with the bodies.
func (c *Cassette) Entries(ctx context.Context, q tape.Query) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for i := range c.index {
			if !c.index[i].asked(q) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			x, err := c.entry(i)
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// asked reports whether q asks for the exchange.
func (p *place) asked(q tape.Query) bool {
	return (q.Session == "" || q.Session == p.Session) &&
		(q.From.IsZero() || !p.started.Before(q.From)) &&
		(q.To.IsZero() || p.started.Before(q.To)) &&
		(q.API == "" || q.API == p.facts.API) &&
		(q.Model == "" || q.Model == p.facts.Model) &&
		(len(q.Ended) == 0 || slices.Contains(q.Ended, p.ended))
}

// entry reads an exchange again.
func (c *Cassette) entry(i int) (*Entry, error) {
	p := c.index[i]
	data := make([]byte, p.size)
	if _, err := c.file.ReadAt(data, p.offset); err != nil && err != io.EOF {
		return nil, &Error{Path: c.path, Line: p.line, Err: err}
	}
	l, err := c.decode(data)
	if err == nil && l.exchange == nil {
		err = fmt.Errorf("%w since it was opened", ErrDamaged)
	}
	if err != nil {
		return nil, c.lineError(p.line, data, err)
	}
	x := l.exchange
	c.fill(x, p)
	return &x.Entry, nil
}

// Exchange returns one exchange, or an error that is [tape.ErrNoExchange].
func (c *Cassette) Exchange(_ context.Context, ref tape.Ref) (*tape.Exchange, error) {
	i, ok := c.refs[ref]
	if !ok {
		return nil, fmt.Errorf("reading exchange %s/%d from %s: %w", ref.Session, ref.Seq, c.path, tape.ErrNoExchange)
	}
	x, err := c.entry(i)
	if err != nil {
		return nil, err
	}
	return &x.Exchange, nil
}

// Body opens a body.
func (c *Cassette) Body(_ context.Context, b tape.Body) (io.ReadCloser, error) {
	if b.Size == 0 {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	p, ok := c.bodies[b.SHA256]
	if !ok {
		return nil, fmt.Errorf("reading a body from %s: %w", c.path, tape.ErrNoBody)
	}
	x, err := c.entry(p.index)
	if err != nil {
		return nil, err
	}
	data, is := x.RequestBody, x.Request.Body
	if p.response {
		data, is = x.ResponseBody, x.Response.Body
	}
	if is.SHA256 != b.SHA256 || is.Size != b.Size {
		return nil, &Error{Path: c.path, Line: c.index[p.index].line, Err: fmt.Errorf("%w when it was opened", ErrDamaged), Hint: "open it again"}
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
