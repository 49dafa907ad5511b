package show

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCurl(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    taped
		want string
	}{
		{"get", recorded("/models", "", 200, asJSON, "[]", nil),
			"curl -sS -N -X 'GET' 'http://localhost:52415/models'\n"},
		{"upstream with a slash", recorded("/models", "", 200, asJSON, "[]", func(x *taped) { x.Upstream += "/" }),
			"curl -sS -N -X 'GET' 'http://localhost:52415/models'\n"},
		{"absolute target", recorded("http://exo:1/models", "", 200, asJSON, "[]", nil),
			"curl -sS -N -X 'GET' 'http://exo:1/models'\n"},
		{"post", recorded("/v1/messages", `{"a":"it's"}`, 200, asJSON, "{}", func(x *taped) {
			x.Request.Header = http.Header{"Content-Type": {asJSON}, "Content-Length": {"12"}, "User-Agent": {"u"}, "Accept-Encoding": {"gzip"}, "X-Empty": {""}, "X-Two": {"1", "2"}}
		}), `curl -sS -N -X 'POST' 'http://localhost:52415/v1/messages' \
  -H 'Content-Type: application/json' \
  -H 'X-Empty;' \
  -H 'X-Two: 1' \
  -H 'X-Two: 2' \
  --data-binary '{"a":"it'\''s"}'
`},
		{"credentials", recorded("/x?api_key=%5Bfingerprint%3A0123456789abcdef%5D&a=b", "", 200, asJSON, "{}", func(x *taped) {
			x.Request.Header = http.Header{
				"Authorization": {"Bearer [fingerprint:0123456789abcdef]"}, "X-Api-Key": {"[fingerprint:0123456789abcdef]"},
				"1.st": {"[fingerprint:0123456789abcdef]"}, "X-Note": {"about [fingerprint:0123456789abcdef] and more"},
			}
		}), `# api_key is left out: set API_KEY to it
# 1.st is left out: set _1_ST to it
# Authorization is left out: set AUTHORIZATION to it
# X-Api-Key is left out: set X_API_KEY to it
curl -sS -N -X 'GET' 'http://localhost:52415/x?api_key='"$API_KEY"'&a=b' \
  -H '1.st: '"$_1_ST" \
  -H 'Authorization: Bearer '"$AUTHORIZATION" \
  -H 'X-Api-Key: '"$X_API_KEY" \
  -H 'X-Note: about [fingerprint:0123456789abcdef] and more'
`},
		{"credentials that were redacted", recorded("/x?token=%5Bredacted%3Aquery%3A2%5D", "", 200, asJSON, "{}", func(x *taped) {
			x.Request.Header = http.Header{"Authorization": {"Bearer [redacted:header:1]"}}
		}), `# token is left out: set TOKEN to it
# Authorization is left out: set AUTHORIZATION to it
curl -sS -N -X 'GET' 'http://localhost:52415/x?token='"$TOKEN" \
  -H 'Authorization: Bearer '"$AUTHORIZATION"
`},
		{"credentials that somebody wrote down", recorded("/x?api_key=quay-side-0001&q=ghp_0123456789abcdefghijABCDEFGHIJ012345",
			`{"note":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`, 200, asJSON, "{}", func(x *taped) {
				x.Upstream = "http://reader:quay-side-0001@exo"
				x.Request.Header = http.Header{
					"Authorization": {"Bearer quay-side-0001"}, "Content-Type": {asJSON}, "Cookie": {"session=quay-side-0001"},
					"X-Note": {"of ghp_0123456789abcdefghijABCDEFGHIJ012345!"},
				}
			}), `# api_key is left out: set API_KEY to it
# Authorization is left out: set AUTHORIZATION to it
# Cookie is left out: set COOKIE to it
# placeholders stand for the secrets in the body
curl -sS -N -g -X 'POST' 'http://exo/x?api_key='"$API_KEY"'&q=[redacted:github-token:1]' \
  -H 'Authorization: Bearer '"$AUTHORIZATION" \
  -H 'Content-Type: application/json' \
  -H 'Cookie: '"$COOKIE" \
  -H 'X-Note: of [redacted:github-token:1]!' \
  --data-binary '{"note":"[redacted:github-token:1]"}'
`},
		{"no server", recorded("/x", "", 200, asJSON, "{}", func(x *taped) { x.Upstream = "" }),
			`# the recording does not say which server was asked: set UPSTREAM to its base URL, such as http://localhost:52415
curl -sS -N -X 'GET' "$UPSTREAM"'/x'
`},
		{"binary", recorded("/x", "\x00\xff", 200, asJSON, "{}", nil), `base64 -d <<'END' | curl -sS -N -X 'POST' 'http://localhost:52415/x' \
  -H 'Content-Type: application/json' --data-binary @-
AP8=
END
`},
		{"a comment stays one line", recorded("/x", "", 200, asJSON, "{}", func(x *taped) {
			x.Request.Header = http.Header{"X\nrm -rf ~\n": {"[fingerprint:0123456789abcdef]"}}
		}), "# X\\nrm -rf ~\\n is left out: set X_RM__RF___ to it\n" +
			"curl -sS -N -X 'GET' 'http://localhost:52415/x' \\\n  -H 'X\nrm -rf ~\n: '\"$X_RM__RF___\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Curl(t.Context(), &b, tt.x, tt.x.Exchange); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestCurlAsksAgain runs the commands: the server must hear what was recorded.
func TestCurlAsksAgain(t *testing.T) {
	for _, tool := range []string{"sh", "curl", "base64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	type request struct {
		Method, Target, Body string
		Header               map[string]string
	}
	heard := make(chan request, 1)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		header := make(map[string]string)
		for _, name := range []string{"Content-Type", "Authorization", "X-Api-Key", "X-Empty", "X-Quote"} {
			if values, ok := r.Header[name]; ok {
				header[name] = strings.Join(values, " and ")
			}
		}
		select {
		case heard <- request{r.Method, r.RequestURI, string(data), header}:
		default:
			t.Errorf("asked once more: %s %s", r.Method, r.RequestURI)
		}
		w.Header().Set("X-Heard", "yes")
		if r.Method != http.MethodHead {
			io.WriteString(w, "low water")
		}
	}))
	srv.Config.DisableGeneralOptionsHandler = true
	srv.Start()
	defer srv.Close()
	large := strings.Repeat(`{"harbour": "Vigo's"}`+"\n", 20000)
	type header = http.Header
	for _, tt := range []struct {
		name, method, target string
		header               http.Header
		body                 string
		want                 request // zero fields: as recorded
	}{
		{name: "get", method: "GET", target: "/models?status=downloaded"},
		{name: "delete", method: "DELETE", target: "/instance/abc"},
		{name: "post without a body", method: "POST", target: "/onboarding"},
		{name: "json", method: "POST", target: "/v1/messages", header: header{"Content-Type": {asJSON}}, body: `{"a": [1, "b"]}`},
		{name: "no content type", method: "POST", target: "/x", body: "a=b"},
		{name: "get with a body", method: "GET", target: "/x", body: "tide?"},
		{name: "put", method: "PUT", target: "/x", body: "tide?"},
		{name: "a method of its own", method: "X-TIDE", target: "/x", body: "tide?"},
		{name: "quotes", method: "POST", target: "/x?q='%22$HOME`", header: header{"X-Quote": {`it's "$HOME" \n` + "`id`"}}, body: `'' '\'' "$HOME" $(id) \`},
		{name: "newlines", method: "POST", target: "/x", body: "\na\r\n\n'b'\n\n"},
		{name: "END", method: "POST", target: "/x", body: "\x00\nEND\nid\n"},
		{name: "NUL", method: "POST", target: "/x", body: "a\x00b"},
		{name: "binary", method: "POST", target: "/x", header: header{"Content-Type": {"image/png"}}, body: "\x89PNG\xff\xfe\x00"},
		{name: "starts with @", method: "POST", target: "/x", body: "@/etc/hostname"},
		{name: "only @", method: "POST", target: "/x", body: "@"},
		{name: "starts with a dash", method: "POST", target: "/x", body: "-X DELETE"},
		{name: "large", method: "POST", target: "/x", body: large},
		{name: "unicode", method: "POST", target: "/x", body: "Zürich 日本 \u2028"},
		{name: "patterns", method: "GET", target: "/x[1-3]?a={b,c}&d=[]"},
		{name: "dots in the path", method: "GET", target: "/a/../b/./c"},
		{name: "two slashes", method: "GET", target: "//a//b"},
		{name: "escapes", method: "GET", target: "/a%2Fb%7e%7E?q=%c3%a4+x&&"},
		{name: "question mark alone", method: "GET", target: "/x?"},
		{name: "asterisk", method: "OPTIONS", target: "*"},
		{name: "empty header", method: "GET", target: "/x", header: header{"X-Empty": {""}}},
		{name: "several values", method: "GET", target: "/x", header: header{"X-Quote": {"1", "2"}}},
		{name: "head", method: "HEAD", target: "/models"},
		{name: "head with a body", method: "HEAD", target: "/models", body: "tide?", want: request{Body: "-"}},
		{name: "credentials", method: "GET", target: "/x?key=%5Bfingerprint%3A0123456789abcdef%5D&a=b",
			header: header{"Authorization": {"Bearer [fingerprint:0123456789abcdef]"}, "X-Api-Key": {"[fingerprint:0123456789abcdef]"}},
			want:   request{Target: "/x?key=k%27y&a=b", Header: map[string]string{"Authorization": "Bearer sk '1'", "X-Api-Key": "$(id)"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := recorded(tt.target, tt.body, 200, asJSON, "{}", func(x *taped) {
				x.Upstream, x.Request.Method, x.Request.Header = srv.URL, tt.method, tt.header
			})
			var script bytes.Buffer
			if err := Curl(t.Context(), &script, x, x.Exchange); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-e")
			cmd.Stdin = &script
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "KEY=k%27y", "AUTHORIZATION=sk '1'", "X_API_KEY=$(id)", "NO_PROXY=*", "CURL_HOME="+cmd.Dir)
			printed := script.String()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s\n%s", err, out, printed)
			}
			if answer := "low water"; tt.method == "HEAD" && !strings.Contains(string(out), "X-Heard: yes") || tt.method != "HEAD" && string(out) != answer {
				t.Errorf("the command printed %q", out)
			}
			want := request{Method: tt.method, Target: tt.target, Body: tt.body, Header: tt.want.Header}
			if tt.want.Target != "" {
				want.Target = tt.want.Target
			}
			if tt.want.Body == "-" {
				want.Body = ""
			}
			if want.Header == nil {
				want.Header = make(map[string]string)
				for name, values := range tt.header {
					want.Header[name] = strings.Join(values, " and ")
				}
			}
			var got request
			select {
			case got = <-heard:
			default:
				t.Fatalf("the server heard nothing of\n%s", printed)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-recorded +heard)\n%s\n%s", diff, printed[:min(len(printed), 1000)])
			}
		})
	}
}

// TestCurlOverIPv6 makes sure that the brackets of an address are no pattern.
func TestCurlOverIPv6(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	ln, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6: %v", err)
	}
	srv := &httptest.Server{Listener: ln, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) })}}
	srv.Start()
	defer srv.Close()
	var script bytes.Buffer
	x := recorded("/models", "", 200, asJSON, "[]", func(x *taped) { x.Upstream = srv.URL })
	if err := Curl(t.Context(), &script, x, x.Exchange); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-e")
	cmd.Env = append(os.Environ(), "NO_PROXY=*")
	cmd.Stdin = &script
	if out, err := cmd.CombinedOutput(); string(out) != "/models" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
