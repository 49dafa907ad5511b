package proxy

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named gives a deck upstreams that are told apart by their names.
func named(t testing.TB, names map[string]string) func(*Config) {
	return func(c *Config) {
		for name, at := range names {
			u, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			c.Named = append(c.Named, Named{Name: name, URL: u, Session: c.Session})
		}
	}
}

// TestNamedUpstreams looks at the request target that each upstream is sent.
func TestNamedUpstreams(t *testing.T) {
	for _, tt := range []struct {
		name, target string
		to           string // the upstream's name, "" for the one without
		sent         string
	}{
		{"prefix", "/gpu/v1/models?a=b", "gpu", "/v1/models?a=b"},
		{"prefix alone", "/gpu", "gpu", "/"},
		{"prefix and slash", "/gpu/", "gpu", "/"},
		{"prefix and query", "/gpu?x", "gpu", "/?x"},
		{"spelling is kept", "/gpu//a%2Fb/../%7e", "gpu", "//a%2Fb/../%7e"},
		{"the longer name", "/gpu-2/a", "gpu-2", "/a"},
		{"prefix of a segment", "/gpus/a", "", "/gpus/a"},
		{"prefix within a path", "/v1/gpu/a", "", "/v1/gpu/a"},
		{"encoded prefix", "/%67pu/a", "", "/%67pu/a"},
		{"no prefix", "/v1/models", "", "/v1/models"},
		{"absolute form", "http://PROXY/gpu/a", "gpu", "/a"},
		{"prefix twice", "/gpu/gpu/a", "gpu", "/gpu/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ups := map[string]*wire{"": newWire(t), "gpu": newWire(t), "gpu-2": newWire(t)}
			d := newDeckAt(t, ups[""].url(), named(t, map[string]string{"gpu": ups["gpu"].url(), "gpu-2": ups["gpu-2"].url()}))
			target := strings.ReplaceAll(tt.target, "PROXY", strings.TrimPrefix(d.url, "http://"))
			if got := statuses(send(t, d, "GET "+target+" HTTP/1.0\r\nHost: h\r\n\r\n")); got != "200" {
				t.Errorf("answered %s", got)
			}
			x := d.only(t)
			if x.Request.URL != tt.sent || x.Upstream != ups[tt.to].url() {
				t.Errorf("recorded %s at %s, want %s at %q", x.Request.URL, x.Upstream, tt.sent, tt.to)
			}
			d.stop(t)
			for name, up := range ups {
				sent := strings.Join(up.sent(), "")
				if name != tt.to && sent != "" || name == tt.to && !strings.HasPrefix(sent, "GET "+tt.sent+" HTTP/1.1\r\n") {
					t.Errorf("the upstream %q was sent %q", name, sent)
				}
			}
		})
	}
}

// TestNamedUpstreamWithBasePath has a path in front and one behind the prefix.
func TestNamedUpstreamWithBasePath(t *testing.T) {
	up := newWire(t)
	d := newDeckAt(t, "http://unused.test", func(c *Config) {
		named(t, map[string]string{"gpu": up.url() + "/exo/"})(c)
		c.Upstream = nil
	})
	send(t, d, "GET /gpu/v1/models HTTP/1.0\r\nHost: h\r\n\r\n")
	if x := d.only(t); x.Request.URL != "/v1/models" || x.Upstream != up.url()+"/exo/" {
		t.Errorf("recorded %s at %s", x.Request.URL, x.Upstream)
	}
	answer := send(t, d, "GET /v1/models HTTP/1.0\r\nHost: h\r\n\r\n")
	if statuses(answer) != "404" || !strings.Contains(answer, "use /gpu as the beginning of the base URL's path") {
		t.Errorf("a path of no upstream: %s", answer)
	}
	d.stop(t)
	if diff := cmp.Diff("GET /exo/v1/models HTTP/1.1\r\nHost: h\r\n\r\n", strings.Join(up.sent(), "")); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}

// TestListenerOfNamedUpstream serves one upstream on a port of its own: there, paths have no prefix.
func TestListenerOfNamedUpstream(t *testing.T) {
	main, gpu := newWire(t), newWire(t)
	d := newDeckAt(t, main.url(), named(t, map[string]string{"gpu": gpu.url()}))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- d.server.ServeNamed(ctx, ln, "gpu") }()
	send(t, &deck{url: "http://" + ln.Addr().String()}, "GET /gpu/a HTTP/1.0\r\nHost: h\r\n\r\n")
	send(t, d, "GET /b HTTP/1.0\r\nHost: h\r\n\r\n")
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	d.stop(t)
	want := "GET /gpu/a HTTP/1.1\r\nHost: h\r\n\r\n"
	if diff := cmp.Diff(want, strings.Join(gpu.sent(), "")); diff != "" {
		t.Errorf("the named upstream was sent (-want +got):\n%s", diff)
	}
	if err := d.server.ServeNamed(t.Context(), ln, "cpu"); err == nil {
		t.Error("a listener for no upstream")
	}
}

func TestConfigRefused(t *testing.T) {
	u := func(s string) *url.URL {
		parsed, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	var session nowhere
	for _, tt := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"nothing", Config{}, "needs an upstream"},
		{"no session", Config{Upstream: u("http://h")}, "needs a session"},
		{"scheme", Config{Upstream: u("ftp://h"), Session: session}, "is no http or https URL"},
		{"no host", Config{Upstream: u("http:///a"), Session: session}, "names no host"},
		{"user", Config{Upstream: u("http://u:secret@h"), Session: session}, "carries a user name"},
		{"query", Config{Upstream: u("http://h?a"), Session: session}, "has a query or a fragment"},
		{"no hosts", Config{Forward: &Forward{Session: session}}, "hosts that it may forward to"},
		{"named twice", Config{Named: []Named{{"a", u("http://h"), session}, {"a", u("http://i"), session}}}, "two upstreams are called a"},
		{"named, no URL", Config{Named: []Named{{"a", nil, session}}}, "write it like a=http"},
		{"named v1", Config{Named: []Named{{"v1", u("http://h"), session}}}, "exo itself serves"},
		{"named models", Config{Named: []Named{{"models", u("http://h"), session}}}, "exo itself serves"},
		{"named a/b", Config{Named: []Named{{"a/b", u("http://h"), session}}}, "is no name"},
		{"named ..", Config{Named: []Named{{"..", u("http://h"), session}}}, "is no name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.cfg)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
