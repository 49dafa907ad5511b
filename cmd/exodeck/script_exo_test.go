package main

import (
	"context"
	"net"
	"net/url"
	"regexp"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/exodeck/exodeck/fixtures/standin"
)

// exoKey is where a script keeps its stand-in for exo.
type exoKey struct{}

type exo struct{ server *standin.Server }

func exoOf(ts *testscript.TestScript) *standin.Server {
	server := ts.Value(exoKey{}).(*exo).server
	if server == nil {
		ts.Fatalf("no stand-in was started")
	}
	return server
}

// cmdStandin starts a stand-in for exo and says where it is in UPSTREAM, EXO_HOST and EXO_PORT; or stops it:
// standin right|demo|FAULT, standin stop. A FAULT spoils every right answer.
func cmdStandin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: standin right|demo|FAULT|stop")
	}
	var script standin.Script
	switch args[0] {
	case "stop":
		exoOf(ts).Close()
		return
	case "right":
		script = standin.ForScenarios()
	case "demo":
		script = standin.Demo()
	default:
		script = func(a standin.Ask) standin.Reply {
			return standin.Fault(args[0]).Apply(standin.ForScenarios()(a))
		}
	}
	server := standin.New(standin.Options{Script: script})
	ts.Check(server.Start(context.Background()))
	ts.Defer(server.Close)
	ts.Value(exoKey{}).(*exo).server = server
	u, err := url.Parse(server.URL())
	ts.Check(err)
	host, port, err := net.SplitHostPort(u.Host)
	ts.Check(err)
	ts.Setenv("UPSTREAM", server.URL())
	ts.Setenv("EXO_HOST", host)
	ts.Setenv("EXO_PORT", port)
}

// cmdRelease lets go of the answers that a stand-in for exo holds back under the fault "stall".
func cmdRelease(ts *testscript.TestScript, neg bool, args []string) {
	exoOf(ts).Release()
}

// cmdAsked waits until the stand-in for exo has so many requests in flight: asked N.
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: asked N")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ts.Check(exoOf(ts).Await(ctx, func(c standin.Counts) bool { return c.InFlight == want }))
}

// cmdHeard checks whether a request header or target that reached the stand-in for exo matches: [!] heard REGEXP.
func cmdHeard(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] heard REGEXP")
	}
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	found := false
	for _, r := range exoOf(ts).Log() {
		found = found || re.MatchString(r.Target)
		for name, values := range r.Header {
			for _, v := range values {
				found = found || re.MatchString(name+": "+v)
			}
		}
	}
	if found == neg {
		ts.Fatalf("heard %s: %v", args[0], found)
	}
}
