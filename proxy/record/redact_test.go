package record_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/record"
)

// TestFingerprint compares with HMAC-SHA-256 as OpenSSL computes it: a tape's fingerprints must mean the same in years to come.
func TestFingerprint(t *testing.T) {
	for _, tt := range []struct{ key, value, want string }{
		{"test", "sk-1", "[fingerprint:2be851969212bc6b]"},
		{"other", "sk-1", "[fingerprint:9befb2bc5a459890]"},
		{"test", "Zürich \xff", "[fingerprint:361e5aa86e7b3ca4]"},
		{"", "", "[fingerprint:b613679a0814d9ec]"},
	} {
		r := record.Redactor{Key: []byte(tt.key)}
		if got := r.Fingerprint(tt.value); got != tt.want {
			t.Errorf("%q with the key %q: %s, want %s", tt.value, tt.key, got, tt.want)
		}
	}
}

func TestRedactHeader(t *testing.T) {
	r := &record.Redactor{Key: []byte("test"), Headers: []string{"x-tenant", "X-Session-Id"}}
	fp := r.Fingerprint
	for _, tt := range []struct {
		name     string
		in, want http.Header
	}{
		{"nothing", nil, http.Header{}},
		{"plain", http.Header{"Accept": {"a", "b"}, "User-Agent": nil}, http.Header{"Accept": {"a", "b"}}},
		{"labels", http.Header{record.LabelHeader: {"a=b"}}, http.Header{}},
		{"bearer", http.Header{"Authorization": {"Bearer sk-1"}}, http.Header{"Authorization": {"Bearer " + fp("sk-1")}}},
		{"bearer in lower case", http.Header{"Authorization": {"bearer sk-1"}}, http.Header{"Authorization": {"bearer " + fp("sk-1")}}},
		{"basic", http.Header{"Proxy-Authorization": {"Basic dTpw"}}, http.Header{"Proxy-Authorization": {"Basic " + fp("dTpw")}}},
		{"digest", http.Header{"Authorization": {`Digest username="u", response="r"`}}, http.Header{"Authorization": {"Digest " + fp(`username="u", response="r"`)}}},
		{"a scheme of its own", http.Header{"Authorization": {"Tok3n abc"}}, http.Header{"Authorization": {fp("Tok3n abc")}}},
		{"no scheme", http.Header{"Authorization": {"sk-1"}}, http.Header{"Authorization": {fp("sk-1")}}},
		{"several values", http.Header{"X-Api-Key": {"sk-1", "sk-2"}}, http.Header{"X-Api-Key": {fp("sk-1"), fp("sk-2")}}},
		{"api-key", http.Header{"Api-Key": {"sk-1"}}, http.Header{"Api-Key": {fp("sk-1")}}},
		{"cookies", http.Header{"Cookie": {"a=b; c=d"}, "Set-Cookie": {"e=f; HttpOnly"}}, http.Header{"Cookie": {fp("a=b; c=d")}, "Set-Cookie": {fp("e=f; HttpOnly")}}},
		{"named by the user", http.Header{"X-Tenant": {"t"}, "X-Session-Id": {"s"}, "X-Other": {"o"}}, http.Header{"X-Tenant": {fp("t")}, "X-Session-Id": {fp("s")}, "X-Other": {"o"}}},
		{"by its name", http.Header{"X-Goog-Api-Key": {"k"}, "X-My-Token": {"t"}, "X-Token-Count": {"7"}}, http.Header{"X-Goog-Api-Key": {fp("k")}, "X-My-Token": {fp("t")}, "X-Token-Count": {"7"}}},
		{"not in its usual spelling", http.Header{"x-API-key": {"sk-1"}}, http.Header{"x-API-key": {fp("sk-1")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.in.Clone()
			got := r.Header(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, values := range got {
				values[0] = "changed"
			}
			if diff := cmp.Diff(before, tt.in); diff != "" {
				t.Errorf("the header that was given changed with the copy\n%s", diff)
			}
		})
	}
}

func TestCredentialHeader(t *testing.T) {
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "X-Forwarded-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "Apikey", "X-Apikey", "X_Api_Key",
		"X-Goog-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-My-Token", "Token", "Private-Token", "X-Accesstoken", "X-Csrf-Token", "X-Vault-Token",
		"X-Auth-Key", "X-Secret-Key", "X-Client-Secret", "Ocp-Apim-Subscription-Key", "X-Functions-Key", "Dd-Application-Key", "X-Aws-Access-Key-Id", "X-Token-V2",
		"X-Password", "X-Hub-Signature-256", "Cf-Access-Jwt-Assertion", "X-Backend-Token", "X-Api-Key-2",
	} {
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if !record.CredentialHeader(spelling) {
				t.Errorf("%s is not taken for a credential", spelling)
			}
		}
	}
	for _, name := range []string{
		"", "-", "Accept", "Content-Type", "X-Request-Id", "X-Token-Count", "X-Request-Token-Limit", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Limit-Token",
		"X-Time-To-First-Token", "X-Time-Per-Token", "X-Next-Page-Token", "X-Auth-Method", "X-Auth-Type", "Github-Authentication-Token-Expiration", "Idempotency-Key",
		"X-Idempotency-Key", "Sec-Websocket-Key", "Surrogate-Key", "X-Cache-Key", "Key", "X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-Retry-Count",
		"X-Stainless-Runtime-Version", "X-Stainless-Helper-Method", "Www-Authenticate", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
		"X-Author", "X-Tokenizer", "X-Session-Id", "Mcp-Session-Id", "X-Monkey",
	} {
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if record.CredentialHeader(spelling) {
				t.Errorf("%s is taken for a credential", spelling)
			}
		}
	}
}

// credentialNames are the parameters that the documentation promises to redact.
var credentialNames = []string{
	"key", "api_key", "api-key", "apikey", "token", "access_token", "access-token", "auth_token", "id_token", "refresh_token", "auth",
	"authorization", "secret", "client_secret", "password", "passwd", "pwd", "sig", "signature", "code", "x-api-key",
	"xapikey", "accessToken", "session_token", "X-Amz-Security-Token", "X-Amz-Signature", "X-Goog-Credential", "subscription-key",
}

func TestCredentialParam(t *testing.T) {
	for _, name := range credentialNames {
		for _, spelling := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]} {
			if !record.CredentialParam(spelling) {
				t.Errorf("%s is not taken for a credential", spelling)
			}
			target := "/x?a=1&" + spelling + "=hunter22&b=2"
			if got := new(record.Redactor).URL(target); strings.Contains(got, "hunter22") {
				t.Errorf("%s became %s", target, got)
			}
		}
	}
	for _, name := range []string{"", "keys", "k", "model", "max_tokens", "tokens", "encode", "monkey", "since", "-", "_", "token_count", "page_token", "pageToken", "nextPageToken", "max_token", "stop_token",
		"auth_type", "cache_key", "idempotency_key", "author"} {
		if record.CredentialParam(name) {
			t.Errorf("%q is taken for a credential", name)
		}
	}
}

func TestRedactURL(t *testing.T) {
	r := &record.Redactor{Key: []byte("test")}
	fp := func(s string) string { return url.QueryEscape(r.Fingerprint(s)) }
	for _, tt := range []struct{ name, in, want string }{
		{"path", "/v1/models", "/v1/models"},
		{"empty", "", ""},
		{"asterisk", "*", "*"},
		{"other parameters", "/x?a=b&model=org%2Fm&&flag&=&c", "/x?a=b&model=org%2Fm&&flag&=&c"},
		{"question mark alone", "/x?", "/x?"},
		{"a key", "/x?key=sk-1", "/x?key=" + fp("sk-1")},
		{"between others", "/x?a=1&api_key=sk-1&b=2", "/x?a=1&api_key=" + fp("sk-1") + "&b=2"},
		{"twice", "/x?token=a&token=b", "/x?token=" + fp("a") + "&token=" + fp("b")},
		{"a value with = and ?", "/x?key=a=b?c", "/x?key=" + fp("a=b?c")},
		{"no value", "/x?key=&token", "/x?key=&token"},
		{"encoded name", "/x?%6bey=sk-1&api%5Fkey=sk-2&a%70i%2Dkey=sk-3", "/x?%6bey=" + fp("sk-1") + "&api%5Fkey=" + fp("sk-2") + "&a%70i%2Dkey=" + fp("sk-3")},
		{"a name that is badly encoded", "/x?k%zzey=sk-1", "/x?k%zzey=sk-1"},
		{"an encoded ampersand divides nothing", "/x?a=1%26key=sk-1", "/x?a=1%26key=sk-1"},
		{"key in the path", "/key=sk/x", "/key=sk/x"},
		{"absolute", "http://h:1/x?key=sk-1", "http://h:1/x?key=" + fp("sk-1")},
		{"user", "http://u@h/x", "http://h/x"},
		{"user and password", "http://u:p@h:1/x?a=b", "http://h:1/x?a=b"},
		{"user, no path", "http://u:p@h", "http://h"},
		{"user, no path but a query", "http://u:p@h?a=b", "http://h?a=b"},
		{"@ in the password", "http://u:p@q@h/x@y", "http://h/x@y"},
		{"@ in the path", "http://h/@me", "http://h/@me"},
		{"@ in the query", "/x?mail=a@b", "/x?mail=a@b"},
		{"a URL in the query", "/x?u=http://u:p@h/", "/x?u=http://u:p@h/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.URL(tt.in); got != tt.want {
				t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

// FuzzRedactURL hides a secret in a target, once as a parameter and once as a password: it must be gone, and all around it must
// stand as it was.
func FuzzRedactURL(f *testing.F) {
	f.Add("a=b", "c=d&e", "sk-very-secret", uint8(0), uint8(0))
	f.Add("", "", "p%20q=r?s@t/u#v", uint8(7), uint8(0xff))
	f.Add("key=", "=&&%zz", "\x00\xff\xfe\x80 12345", uint8(12), uint8(0x55))
	f.Fuzz(func(t *testing.T, before, after, secret string, which, encode uint8) {
		r := &record.Redactor{Key: []byte("fuzz")}
		name := spell(credentialNames[int(which)%len(credentialNames)], encode)
		around := func(value string) string { return "?" + before + "&" + name + "=" + value + "&" + after }
		if len(secret) < 8 || strings.Contains(secret, "&") || strings.Contains("/x"+around("%5Bfingerprint%3A"), secret) {
			return // too short to be looked for, no single value, or there anyway
		}
		got := r.URL("/x" + around(secret))
		if strings.Contains(got, secret) {
			t.Errorf("%q survives in %q", secret, got)
		}
		// The parameters before and after may be redacted too, each on its own.
		want := "/x?" + paramsOf(r, before) + "&" + name + "=" + url.QueryEscape(r.Fingerprint(secret)) + "&" + paramsOf(r, after)
		if got != want {
			t.Errorf("%q became %q, want %q", "/x"+around(secret), got, want)
		}
		if !strings.ContainsAny(secret, "/?") {
			if got := r.URL("http://user:" + secret + "@up:1/x?" + after); got != "http://up:1/x?"+paramsOf(r, after) {
				t.Errorf("a password %q: %q", secret, got)
			}
		}
	})
}

// FuzzRedactURLKeeps takes any target: nothing but user information and values of parameters with telling names may change.
func FuzzRedactURLKeeps(f *testing.F) {
	for _, s := range []string{"/v1/models?key=a&b=c", "http://u:p@h/x?token=&sig=1", "*", "?", "http://", "://@/?auth=1", "/a?%6bey=1;2&=key"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		r := &record.Redactor{Key: []byte("fuzz")}
		got := r.URL(target)
		path, query, hasQuery := strings.Cut(target, "?")
		gotPath, gotQuery, gotHasQuery := strings.Cut(got, "?")
		if hasQuery != gotHasQuery || gotQuery != paramsOf(r, query) {
			t.Errorf("the query of %q became %q", target, gotQuery)
		}
		if gotPath != path {
			scheme, rest, ok := strings.Cut(path, "://")
			authority, _, _ := strings.Cut(rest, "/")
			at := strings.LastIndexByte(authority, '@')
			if !ok || at < 0 || gotPath != scheme+"://"+rest[at+1:] {
				t.Errorf("the path of %q became %q", target, gotPath)
			}
		}
		if again := (&record.Redactor{Key: []byte("fuzz")}).URL(target); again != got {
			t.Errorf("%q became %q and %q", target, got, again)
		}
	})
}

// paramsOf redacts a query in another way than the code under test: by what url.ParseQuery makes of each of its parts.
func paramsOf(r *record.Redactor, query string) string {
	parts := strings.SplitAfter(query, "&")
	for i, part := range parts {
		plain := strings.TrimSuffix(part, "&")
		eq := strings.IndexByte(plain, '=')
		if eq < 0 || eq+1 == len(plain) {
			continue
		}
		name := plain[:eq]
		values, err := url.ParseQuery(strings.ReplaceAll(name, ";", "%3B") + "=x")
		if err != nil {
			values = url.Values{name: nil}
		}
		for decoded := range values {
			if record.CredentialParam(decoded) {
				parts[i] = name + "=" + url.QueryEscape(r.Fingerprint(plain[eq+1:])) + part[len(plain):]
			}
		}
	}
	return strings.Join(parts, "")
}

// spell percent-encodes the bytes of name that encode has a bit for.
func spell(name string, encode uint8) string {
	var b strings.Builder
	for i := range len(name) {
		if encode>>(i%8)&1 == 1 {
			fmt.Fprintf(&b, "%%%02x", name[i])
		} else {
			b.WriteByte(name[i])
		}
	}
	return b.String()
}
