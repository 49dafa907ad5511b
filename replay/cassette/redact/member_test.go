package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"every name", `{"api_key":"quay-0001","apikey":"quay-0002","api-key":"quay-0003","access_token":"quay-0004","refresh_token":"quay-0005","id_token":"quay-0006","auth_token":"quay-0007","client_secret":"quay-0008","secret":"quay-0009","secret_key":"quay-0010","private_key":"quay-0011","password":"quay-0012","passwd":"quay-0013","authorization":"quay-0014","x-api-key":"quay-0015"}`,
			"api_key=quay-0001 apikey=quay-0002 api-key=quay-0003 access_token=quay-0004 refresh_token=quay-0005 id_token=quay-0006 auth_token=quay-0007 client_secret=quay-0008 secret=quay-0009 secret_key=quay-0010 private_key=quay-0011 password=quay-0012 passwd=quay-0013 authorization=quay-0014 x-api-key=quay-0015"},
		{"any case", `{"Api_Key":"quay-0001","API-KEY":"quay-0002","apiKey":"quay-0003","\u0070assword":"quay-0004"}`, "Api_Key=quay-0001 API-KEY=quay-0002 apiKey=quay-0003 password=quay-0004"},
		{"one below", `{"metadata":{"password":"quay-0001"},"extra_body":{"secret":"quay-0002"},"headers":{"X-Goog-Api-Key":"quay-0003"},"extra_headers":{"X-My-Token":"quay-0004"}}`,
			"metadata.password=quay-0001 extra_body.secret=quay-0002 headers.X-Goog-Api-Key=quay-0003 extra_headers.X-My-Token=quay-0004"},
		{"a scheme", `{"headers":{"Authorization":"Bearer quay-0001"},"authorization":"basic quay-0002"}`, "headers.Authorization=quay-0001 authorization=quay-0002"},
		{"escaped", `{"password":"quay\n\"0001"}`, "password=quay\n\"0001"},
		{"twice", `{"password":"quay-0001","password":"quay-0002"}`, "password=quay-0001 password=quay-0002"},
		{"ends early", `{"password":"quay-0001","messages":[{"role":`, "password=quay-0001"},
		{"other names", `{"user":"quay-0001","max_tokens":"quay-0002","X-My-Token":"quay-0003","metadata":{"X-My-Token":"quay-0004"},"headers":{"Idempotency-Key":"quay-0005"},"key":"quay-0006"}`, ""},
		{"what a model is asked", `{"messages":[{"password":"quay-0001","metadata":{"password":"quay-0002"},"content":"{\"password\":\"quay-0003\"}"}],"input":[{"password":"quay-0004"}],"tools":[{"function":{"parameters":{"properties":{"password":{"type":"string","description":"quay-0005"}},"required":["password"]}}}],"system":"password: quay-0006","tool_choice":{"password":"quay-0007"}}`, ""},
		{"two below", `{"metadata":{"a":{"password":"quay-0001"}},"extra_body":{"headers":{"password":"quay-0002"},"tools":[{"password":"quay-0003"}]}}`, "extra_body.headers.password=quay-0002"},
		{"longer names", `{"openai_api_key":"quay-0001","dbPassword":"quay-0002","aws_secret_access_key":"quay-0003","idtoken":"quay-0004","gridtoken":"quay-0005"}`,
			"openai_api_key=quay-0001 dbPassword=quay-0002 aws_secret_access_key=quay-0003 idtoken=quay-0004"},
		{"servers of tools", `{"tools":[{"type":"mcp","headers":{"Authorization":"Bearer quay-0001"},"authorization":"quay-0002"},7,{"parameters":{"password":"quay-0003"}}],"mcp_servers":[{"authorization_token":"quay-0004"}]}`,
			"tools.headers.Authorization=quay-0001 tools.authorization=quay-0002 mcp_servers.authorization_token=quay-0004"},
		{"lists", `{"headers":{"X-Api-Key":["quay-0001",1,"quay-0002"]}}`, "headers.X-Api-Key=quay-0001 headers.X-Api-Key=quay-0002"},
		{"behind a byte order mark", "\ufeff" + ` {"api_key":"quay-0001"}`, "api_key=quay-0001"},
		{"breaks off", `{"model":"m","api_key": "quay\u002d0001\n`, "api_key=quay-0001\n"},
		{"breaks off in an escape", `{"api_key":"quay-0001\`, "api_key=quay-0001"},
		{"a form", `grant_type=x&client_secret=quay%2D0001&api%5Fkey=quay-0002&note=quay-0003&password=&token`, "client_secret=quay-0001 api_key=quay-0002"},
		{"no form", "password=quay-0001 and more", ""},
		{"a form in parts", "--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\nContent-Type: text/plain\r\n\r\nquay-0001\r\n--b\r\nContent-Disposition: form-data; name=note\r\n\r\nquay-0002\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"password\"; filename=\"a\"\r\n\r\nquay-0003\r\n--b\nContent-Disposition: form-data; name=secret\n\nquay\n0004\n--b--\n", "api_key=quay-0001 secret=quay\n0004"},
		{"a form in parts that breaks off", "--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\nquay-0001", "api_key=quay-0001"},
		{"no strings", `{"password":12345678,"secret":{"a":"quay-0001"},"api_key":[{"a":"quay-0002"}],"metadata":"quay-0003","headers":["password"],"passwd":null}`, ""},
		{"too short", `{"password":"quay-01","authorization":"Bearer quay-01"}`, ""},
		{"placeholders", `{"password":"[redacted:member:1]","authorization":"Bearer [redacted:member:2]","secret":"[redacted]"}`, ""},
		{"a name for its value", `{"password":"password","authorization":"Bearer api_key","headers":{"X-My-Token":"x-my-token"}}`, ""},
		{"no object", `[{"password":"quay-0001"}]`, ""},
		{"no JSON", `password: quay-0001`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var found []string
			for _, m := range Members([]byte(tt.body)) {
				found = append(found, m.Name+"="+string(m.Value))
			}
			if diff := cmp.Diff(tt.want, strings.Join(found, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestRequestBody: members are taken out of requests, and their values wherever else they stand; responses are not searched by names.
func TestRequestBody(t *testing.T) {
	request := []byte(`{"api_key": "quay-0001", "metadata":{"password":"ebb\"flow-2","n":1},"headers":{"Authorization":"Bearer quay-0003"},"messages":[{"content":"quay-0001","password":"lock-0004"}]}`)
	response := []byte(`{"password":"lock-0005","metadata":{"password":"ebb\"flow-2"}}`)
	for _, tt := range []struct {
		name     string
		rules    Rules
		request  string
		response string
	}{
		{"alone", Rules{}, `{"api_key": "[redacted:member:1]", "metadata":{"password":"[redacted:member:2]","n":1},"headers":{"Authorization":"Bearer [redacted:member:3]"},"messages":[{"content":"[redacted:member:1]","password":"lock-0004"}]}`,
			`{"password":"lock-0005","metadata":{"password":"[redacted:member:2]"}}`},
		{"inside of what a path takes", Rules{JSON: paths(t, "$.metadata", "$.api_key")},
			`{"api_key": "[redacted:member:1]", "metadata":"[redacted:json:1]","headers":{"Authorization":"Bearer [redacted:member:3]"},"messages":[{"content":"[redacted:member:1]","password":"lock-0004"}]}`,
			`{"password":"lock-0005","metadata":"[redacted:json:2]"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(tt.rules)
			r.RequestBody(request, "application/json")
			r.Body(response, "application/json", nil)
			r.Learned()
			got := string(r.RequestBody(request, "application/json"))
			if diff := cmp.Diff(tt.request, got); diff != "" {
				t.Errorf("request (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.response, string(r.Body(response, "application/json", nil))); diff != "" {
				t.Errorf("response (-want +got)\n%s", diff)
			}
			again := New(tt.rules)
			again.RequestBody([]byte(got), "application/json")
			again.Learned()
			if diff := cmp.Diff(got, string(again.RequestBody([]byte(got), "application/json"))); diff != "" || again.Secrets() > 0 {
				t.Errorf("redacted again: %d secrets (-first +second)\n%s", again.Secrets(), diff)
			}
			asked, kept := tt.rules.Canonical(Request{URL: "/", Body: request}), tt.rules.Canonical(Request{URL: "/", Body: []byte(got)})
			if diff := cmp.Diff(string(kept.Body), string(asked.Body)); diff != "" {
				t.Errorf("for comparison (-recorded +asked)\n%s", diff)
			}
		})
	}
}

// FuzzMembers: of any body the places of what is found hold the values, and a redacted body holds none any more.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{"api_key":"quay-0001"}`, `{"metadata":{"password":"ebb\"flow-2"},"headers":{"Authorization":"Bearer quay-0003"}}`, `{"password":"quay-0001","a":`, `[]`, "{\"password\":\"\xff\xff\xff\xff\xff\xff\"}",
		"\ufeff{\"tools\":[{\"headers\":{\"X-Api-Key\":[\"quay-0001", "client_secret=quay%2D0001&a=b", "--b\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\nquay-0001\r\n--b--"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, m := range Members(body) {
			if m.start < 0 || m.end > len(body) || m.end-m.start < 2 {
				t.Fatalf("%s stands at %d to %d of %q", m.Name, m.start, m.end, body)
			}
		}
		r := New(Rules{})
		r.RequestBody(body, "application/json")
		r.Learned()
		got := r.RequestBody(body, "application/json")
		if left := Members(got); len(left) > 0 && r.Err() == nil {
			t.Errorf("%q became %q, with %s in it", body, got, left[0].Name)
		}
	})
}
