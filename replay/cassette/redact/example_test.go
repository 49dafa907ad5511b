package redact_test

import (
	"fmt"

	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// A redactor learns from all texts before it redacts any: the name in the first is a secret because of where it stands in the second.
func ExampleRedactor() {
	user, err := redact.ParsePath("$.user")
	if err != nil {
		fmt.Println(err)
		return
	}
	texts := []string{
		`{"text":"Ada Lovelace is here, in base64 QWRhIExvdmVsYWNl"}`,
		`{"user":"Ada Lovelace"}`,
	}
	r := redact.New(redact.Rules{JSON: []redact.Path{user}})
	for _, text := range texts {
		r.Body([]byte(text), "application/json", nil)
	}
	r.Learned()
	for _, text := range texts {
		fmt.Printf("%s\n", r.Body([]byte(text), "application/json", nil))
	}
	// Output:
	// {"text":"[redacted:json:1] is here, in base64 W3JlZGFjdGVkOmpzb246MV0="}
	// {"user":"[redacted:json:1]"}
}
