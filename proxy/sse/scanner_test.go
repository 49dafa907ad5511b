package sse_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/exodeck/exodeck/proxy/sse"
	"github.com/google/go-cmp/cmp"
)

func ExampleScanner() {
	body := ": keep-alive\n\ndata: {\"text\":\"Hi\"}\n\ndata: [DONE]\n\n"
	s := sse.NewScanner(strings.NewReader(body), sse.EventStream)
	for s.Scan() {
		e := s.Event()
		fmt.Printf("%v at [%d,%d): %s\n", e.Kind, e.Start, e.End, e.Data)
	}
	// Output:
	// comment at [0,13): keep-alive
	// data at [14,35): {"text":"Hi"}
	// data at [35,49): [DONE]
}

func TestScanner(t *testing.T) {
	broken := errors.New("broken off")
	for _, test := range streams {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"plain":         func(r io.Reader) io.Reader { return r },
			"byte by byte":  iotest.OneByteReader,
			"EOF with data": iotest.DataErrReader,
			"broken off":    func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(broken)) },
		} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				s := sse.NewScanner(wrap(strings.NewReader(test.body)), test.format)
				var got []sse.Event
				for s.Scan() {
					e := *s.Event()
					if e.Data != nil {
						e.Data = append([]byte{}, e.Data...)
					}
					got = append(got, e)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				if s.Offset() != int64(len(test.body)) {
					t.Errorf("Offset is %d after %d bytes", s.Offset(), len(test.body))
				}
				if name == "broken off" != errors.Is(s.Err(), broken) {
					t.Errorf("Err is %v", s.Err())
				}
			})
		}
	}
}
