package doctor

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"time"
)

// Status is how a check came out.
type Status string

const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Detail says what was found.
	Detail string `json:"detail"`
	// Next says what to do about it; "" when there is nothing to do.
	Next string `json:"next,omitempty"`
}

// Config says what to look at.
type Config struct {
	// Upstream is the base URL of exo.
	Upstream *url.URL
	// Listen is the address that exodeck listens on, or should.
	Listen string
	// Tape is the path of the tape.
	Tape string
	// StateDir is where exodeck keeps its own files.
	StateDir string
	// Variables are those of the environment that say where clients go.
	Variables []Variable
	// NoProxy lists the hosts that clients ask without an HTTP proxy, as the variable NO_PROXY does.
	NoProxy string
	// Start is the command that starts recording.
	Start string
	// Timeout bounds each request; 5 s when zero.
	Timeout time.Duration
}

// Examine looks at everything, and returns what it found in the order to read it.
func Examine(ctx context.Context, cfg Config) []Check {
	cfg.Timeout = cmp.Or(cfg.Timeout, 5*time.Second)
	d := &doctor{Config: cfg, client: client(cfg.Timeout, nil)}
	d.upstream(ctx)
	d.listener(ctx)
	d.tape(ctx)
	d.disk()
	d.state()
	d.variables()
	return d.checks
}

// doctor gathers checks.
type doctor struct {
	Config
	client *httpClient
	checks []Check
	models []byte // what the upstream answers to GET /models; nil when it does not
}

func (d *doctor) add(name string, status Status, detail, next string) {
	d.checks = append(d.checks, Check{name, status, detail, next})
}

func (d *doctor) ok(name, detail string) { d.add(name, OK, detail, "") }

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
