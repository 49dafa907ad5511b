package apierror_test

import (
	"fmt"
	"testing"

	"github.com/exodeck/exodeck/proxy/apierror"
)

func TestBody(t *testing.T) {
	missing := apierror.Error{Status: 400, Kind: apierror.NotRecorded, Message: "nothing <is> recorded"}
	plain := apierror.Error{Status: 403, Kind: "forbidden", Message: "no"}
	dead := apierror.Error{Status: 502, Kind: apierror.Unreachable, Message: "gone"}
	for _, tt := range []struct {
		method, path string
		err          apierror.Error
		want         string
	}{
		{"POST", "/v1/chat/completions", missing, `{"error":{"message":"nothing <is> recorded","type":"not_recorded","param":null,"code":400}}`},
		{"POST", "/v1/responses", plain, `{"error":{"message":"no","type":"forbidden","param":null,"code":403}}`},
		{"GET", "/state", plain, `{"error":{"message":"no","type":"forbidden","param":null,"code":403}}`},
		{"POST", "/v1/messages", missing, `{"type":"error","error":{"type":"invalid_request_error","message":"nothing <is> recorded"}}`},
		{"POST", "/v1/messages", plain, `{"type":"error","error":{"type":"forbidden","message":"no"}}`},
		{"POST", "/ollama/api/chat", missing, `{"error":"nothing <is> recorded"}`},
		{"POST", "/api/generate", missing, `{"error":"nothing <is> recorded"}`},
		{"GET", "/ollama/api/tags", missing, `{"error":"nothing <is> recorded"}`},
		{"POST", "/v1/messages", dead, `{"type":"error","error":{"type":"api_error","message":"gone"}}`},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			if got := string(tt.err.Body(tt.method, tt.path)); got != tt.want {
				t.Errorf("body %s\nwant %s", got, tt.want)
			}
		})
	}
}

func ExampleError_Body() {
	err := apierror.Error{Status: 502, Kind: apierror.Unreachable, Message: "exo is not running"}
	fmt.Println(string(err.Body("POST", "/v1/chat/completions")))
	fmt.Println(string(err.Body("POST", "/ollama/api/chat")))
	// Output:
	// {"error":{"message":"exo is not running","type":"upstream_unreachable","param":null,"code":502}}
	// {"error":"exo is not running"}
}
