package proxy

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
)

// forwarding makes a deck forward to hosts, and to no upstream of its own.
func forwarding(t testing.TB, hosts ...string) func(*Config) {
	return func(c *Config) {
		c.Upstream = nil
		c.Forward = &Forward{Session: c.Session}
		for _, s := range hosts {
			h, err := ParseHost(s)
			if err != nil {
				t.Fatal(err)
			}
			c.Forward.Hosts = append(c.Forward.Hosts, h)
		}
	}
}

// TestForwardedBytes compares what a client of an HTTP proxy sends with what reaches the host it names.
func TestForwardedBytes(t *testing.T) {
	for _, tt := range []struct {
		name, request, sent, url string
	}{
		{"target, host and end-to-end fields as sent, the Host header ignored",
			"GET http://UP/v1/models?a=%zz HTTP/1.1\r\nHost: elsewhere.test\r\nAuthorization: Bearer x\r\nProxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nConnection: close\r\n\r\n",
			"GET /v1/models?a=%zz HTTP/1.1\r\nHost: UP\r\nAuthorization: Bearer x\r\n\r\n", "/v1/models?a=%zz"},
		{"unusual spelling of the path", "GET http://UP//a%2fb/../%7e;x='? HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			"GET //a%2fb/../%7e;x='? HTTP/1.1\r\nHost: UP\r\n\r\n", "//a%2fb/../%7e;x='?"},
		{"no path", "GET http://UP?q HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET /?q HTTP/1.1\r\nHost: UP\r\n\r\n", "/?q"},
		{"scheme in capitals", "GET HTTP://UP/a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET /a HTTP/1.1\r\nHost: UP\r\n\r\n", "/a"},
		{"options for the server", "OPTIONS http://UP HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: UP\r\n\r\n", "*"},
		{"post", "POST http://UP/v1/messages HTTP/1.1\r\nHost: UP\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
			"POST /v1/messages HTTP/1.1\r\nHost: UP\r\nContent-Length: 2\r\n\r\n{}", "/v1/messages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := newWire(t)
			address := up.ln.Addr().String()
			d := newDeckAt(t, "http://unused.test", forwarding(t, address))
			answer := send(t, d, strings.ReplaceAll(tt.request, "UP", address))
			if got := statuses(answer); got != "200" {
				t.Errorf("answered %s", answer)
			}
			d.stop(t)
			if diff := cmp.Diff(strings.ReplaceAll(tt.sent, "UP", address), strings.Join(up.sent(), "")); diff != "" {
				t.Errorf("the host was sent (-want +got):\n%s", diff)
			}
			x := d.only(t)
			if x.Upstream != up.url() || x.Request.URL != tt.url || x.Ended != tape.Complete {
				t.Errorf("recorded %s at %s, %s", x.Request.URL, x.Upstream, x.Ended)
			}
			if x.Request.URL == "/v1/messages" && x.Facts.API != tape.Claude {
				t.Errorf("recorded as %s", x.Facts.API)
			}
		})
	}
}

// TestForwardRefuses asks for what was not allowed. Each refusal is one line, in the shape of the API, and says how to allow it.
func TestForwardRefuses(t *testing.T) {
	up := newWire(t)
	d := newDeckAt(t, "http://unused.test", forwarding(t, "exo.test:52415", "192.0.2.1"))
	for _, tt := range []struct{ name, request, want string }{
		{"another host", "GET http://elsewhere.test/v1/models HTTP/1.1\r\nHost: elsewhere.test", "start it with --allow-host elsewhere.test to record"},
		{"another port", "GET http://exo.test:80/v1/models HTTP/1.1\r\nHost: exo.test", "start it with --allow-host exo.test:80 to record"},
		{"the port of the scheme", "GET http://exo.test/v1/models HTTP/1.1\r\nHost: exo.test:52415", "start it with --allow-host exo.test to record"},
		{"a name that ends like an allowed one", "GET http://not-exo.test:52415/ HTTP/1.1\r\nHost: x", "--allow-host not-exo.test:52415"},
		{"an allowed name as a part of another", "GET http://exo.test.elsewhere.test:52415/ HTTP/1.1\r\nHost: x", "--allow-host exo.test.elsewhere.test:52415"},
		{"an address in another spelling", "GET http://3221225985/ HTTP/1.1\r\nHost: x", "--allow-host 3221225985"},
		{"tunnel to another host", "CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: elsewhere.test:443", "start exodeck with --allow-host elsewhere.test"},
		{"tunnel to an allowed host", "CONNECT 192.0.2.1:443 HTTP/1.1\r\nHost: 192.0.2.1:443", "--upstream https://192.0.2.1:443"},
		{"a path without an upstream", "GET /v1/models HTTP/1.1\r\nHost: x", "set HTTP_PROXY to its address"},
		{"claude", "POST http://elsewhere.test/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 0", "start it with --allow-host elsewhere.test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head, body, _ := strings.Cut(send(t, d, tt.request+"\r\n\r\n"), "\r\n\r\n")
			var shape struct {
				Type  string
				Error struct{ Message string }
			}
			if err := json.Unmarshal([]byte(body), &shape); err != nil {
				t.Fatalf("%v in %q", err, body)
			}
			message := shape.Error.Message
			if !strings.HasPrefix(head, "HTTP/1.1 403 ") || !strings.Contains(message, tt.want) || strings.Contains(message, "\n") {
				t.Errorf("%s\n%s\nwant %q", head, message, tt.want)
			}
			if claude := shape.Type == "error"; claude != (tt.name == "claude") {
				t.Errorf("the shape is not that of the API: %s", body)
			}
		})
	}
	if got := statuses(send(t, d, "CONNECT /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")); got != "400" {
		t.Errorf("a tunnel to a path: %s", got)
	}
	if all := d.exchanges(t); len(all) > 0 {
		t.Errorf("%d exchanges recorded", len(all))
	}
	if sent := up.sent(); len(sent) > 0 {
		t.Errorf("sent %q", sent)
	}
}

// TestForwardBesideUpstream tells the two kinds of requests apart on one listener.
func TestForwardBesideUpstream(t *testing.T) {
	far := newWire(t)
	d := newDeck(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}), func(c *Config) {
		u := c.Upstream
		forwarding(t, far.ln.Addr().String())(c)
		c.Upstream = u
	})
	send(t, d, "GET /near HTTP/1.1\r\nHost: "+far.ln.Addr().String()+"\r\nConnection: close\r\n\r\n")
	send(t, d, "GET "+far.url()+"/far HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	send(t, d, "GET "+d.url+"/self HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	var got []string
	for _, x := range d.exchanges(t) {
		got = append(got, x.Upstream+x.Request.URL)
	}
	if diff := cmp.Diff([]string{d.upstream + "/near", far.url() + "/far", d.upstream + "/self"}, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestParseHost(t *testing.T) {
	for _, tt := range []struct {
		text    string
		want    Host
		allowed []string
		refused []string
	}{
		{"exo.local", Host{"exo.local", ""}, []string{"http://exo.local/", "https://EXO.local.:1/"}, []string{"http://exo.locale/"}},
		{"Exo.Local.:80", Host{"exo.local", "80"}, []string{"http://exo.local/", "https://exo.local:80/"}, []string{"https://exo.local/"}},
		{"exo:443", Host{"exo", "443"}, []string{"https://exo/"}, []string{"http://exo/"}},
		{"[::1]:52415", Host{"::1", "52415"}, []string{"http://[::1]:52415/"}, []string{"http://[::1]/"}},
		{"::1", Host{"::1", ""}, []string{"http://[::1]:5/"}, []string{"http://[::2]/"}},
		{"[::1]", Host{"::1", ""}, []string{"http://[::1]/"}, nil},
	} {
		h, err := ParseHost(tt.text)
		if err != nil || h != tt.want {
			t.Errorf("%q: %+v, %v", tt.text, h, err)
		}
		for i, list := range [][]string{tt.allowed, tt.refused} {
			for _, s := range list {
				u, err := url.Parse(s)
				if err != nil {
					t.Fatal(err)
				}
				if allows := h.allows(u); allows != (i == 0) {
					t.Errorf("%q allows %s: %v", tt.text, s, allows)
				}
			}
		}
	}
	for _, s := range []string{"", "*", "*.local", "http://exo", "exo/v1", "exo:", "exo:0", "exo:http", "exo:70000", "user@exo", "exo local", ".", "exo..", ".:80"} {
		if h, err := ParseHost(s); err == nil || !strings.Contains(err.Error(), "write HOST or HOST:PORT") {
			t.Errorf("%q: %+v, %v", s, h, err)
		}
	}
}

// newTLSUpstream is an https upstream whose certificate is for 127.0.0.1, and the file of the authority behind it.
func newTLSUpstream(t *testing.T) (srv *httptest.Server, authority string) {
	t.Helper()
	srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "over TLS") }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of clients that do not trust it
	srv.StartTLS()
	t.Cleanup(srv.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(authority, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return srv, authority
}

// trust has a deck trust the authorities in a file.
func trust(t *testing.T, d *deck, file string) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(readFile(t, file))) {
		t.Fatal("no certificate")
	}
	for _, transport := range []*http.Transport{d.server.sender.kept, d.server.sender.fresh} {
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
}

// TestSecureUpstream records an https upstream behind both kinds of proxy.
func TestSecureUpstream(t *testing.T) {
	srv, authority := newTLSUpstream(t)
	address := strings.TrimPrefix(srv.URL, "https://")
	for _, tt := range []struct {
		name, target string
		adjust       func(*Config)
		trusted      bool
	}{
		{"reverse", "/a", nil, true},
		{"forward", srv.URL + "/a", forwarding(t, address), true},
		{"reverse, unknown authority", "/a", nil, false},
		{"forward, unknown authority", srv.URL + "/a", forwarding(t, address), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeckAt(t, srv.URL, tt.adjust)
			if tt.trusted {
				trust(t, d, authority)
			}
			answer := send(t, d, "GET "+tt.target+" HTTP/1.1\r\nHost: "+address+"\r\nConnection: close\r\n\r\n")
			x := d.only(t)
			if x.Upstream != srv.URL || x.Request.URL != "/a" {
				t.Errorf("recorded %s at %s", x.Request.URL, x.Upstream)
			}
			if tt.trusted {
				if statuses(answer) != "200" || x.response != "over TLS" {
					t.Errorf("answered %s, recorded %q", answer, x.response)
				}
				return
			}
			if statuses(answer) != "502" || !strings.Contains(answer, "certificate signed by unknown authority") || !strings.Contains(answer, "SSL_CERT_FILE") {
				t.Errorf("answered %s", answer)
			}
			if x.Ended != tape.UpstreamError || !strings.Contains(x.Cause, "unknown authority") {
				t.Errorf("recorded %s (%s)", x.Ended, x.Cause)
			}
		})
	}
}

// TestCertificateOfAnotherHost trusts the authority, but the certificate is for 127.0.0.1 and not for localhost.
func TestCertificateOfAnotherHost(t *testing.T) {
	srv, authority := newTLSUpstream(t)
	d := newDeckAt(t, strings.Replace(srv.URL, "127.0.0.1", "localhost", 1), nil)
	trust(t, d, authority)
	answer := send(t, d, "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if statuses(answer) != "502" || !strings.Contains(answer, "not localhost") {
		t.Errorf("answered %s", answer)
	}
}

// TestSSLCertFile proves that an authority named by SSL_CERT_FILE is trusted. Go reads that variable once a process, so this test runs
// itself in another one.
func TestSSLCertFile(t *testing.T) {
	if at := os.Getenv("EXODECK_TEST_TLS_UPSTREAM"); at != "" {
		d := newDeckAt(t, at, nil)
		fmt.Println(statuses(send(t, d, "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")))
		return
	}
	srv, authority := newTLSUpstream(t)
	for _, tt := range []struct{ file, want string }{{authority, "200\n"}, {os.DevNull, "502\n"}} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSSLCertFile$")
		cmd.Env = append(os.Environ(), "EXODECK_TEST_TLS_UPSTREAM="+srv.URL, "SSL_CERT_FILE="+tt.file, "SSL_CERT_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.HasPrefix(out, []byte(tt.want)) {
			t.Errorf("with SSL_CERT_FILE=%s: %v, %s", tt.file, err, out)
		}
	}
}
