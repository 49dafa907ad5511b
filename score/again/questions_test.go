package again_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/score/again"
)

// TestQuestions: model calls are asked again, and those that were themselves asked again only when their session is named, or when
// there are no others.
func TestQuestions(t *testing.T) {
	c, err := cassette.Read(strings.NewReader(`{"session":"a"}
{"session":"b"}
{"seq":1,"session":"a","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m"}},"response":{"status":200,"body":{}}}
{"seq":2,"session":"a","request":{"method":"GET","url":"/state"},"response":{"status":200,"body":{}}}
{"seq":3,"session":"a","request":{"method":"POST","url":"/v1/messages","body":{"model":"m"}},"response":{"status":200,"body":{}}}
{"seq":1,"session":"b","request":{"method":"POST","url":"/v1/chat/completions","body":{"model":"m"}},"response":{"status":200,"body":{}},"labels":{"again":"a/1"}}
{"seq":2,"session":"b","request":{"method":"POST","url":"/v1/responses","body":{"model":"m"}},"response":{"status":200,"body":{}},"labels":{"again":"c/1"}}
`), "tides.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		query tape.Query
		want  []tape.Ref
	}{
		{tape.Query{}, []tape.Ref{{Session: "a", Seq: 1}, {Session: "a", Seq: 3}}},
		{tape.Query{API: tape.Claude}, []tape.Ref{{Session: "a", Seq: 3}}},
		{tape.Query{Session: "b"}, []tape.Ref{{Session: "b", Seq: 1}, {Session: "b", Seq: 2}}},
		{tape.Query{API: tape.Responses}, []tape.Ref{{Session: "b", Seq: 2}}},
		{tape.Query{Model: "n"}, nil},
	} {
		got, err := again.Questions(t.Context(), c, tt.query)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%+v: %v (-want +got)\n%s", tt.query, err, diff)
		}
	}
}
