package formats_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exodeck/exodeck/replay/cassette/formats"
)

// files are recordings of one exchange each, by their format.
var files = []struct {
	name string
	want formats.Format
	text string
}{
	{"a cassette", formats.Cassette, `{"request":{"method":"GET","url":"/state"},"response":{"status":200,"body":{}}}`},
	{"an archive", formats.HAR, "{ \"log\" :\n {\"version\":\"1.2\",\"entries\":[{\"startedDateTime\":\"2026-03-04T05:06:07Z\",\"time\":1," +
		`"request":{"method":"GET","url":"http://exo/state","headers":[]},"response":{"status":200,"headers":[],"content":{"text":"{}"}}}]}}`},
	{"an archive behind a byte order mark", formats.HAR, "\ufeff" + `{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-03-04T05:06:07Z","time":1,` +
		`"request":{"method":"GET","url":"http://exo/state","headers":[]},"response":{"status":200,"headers":[],"content":{"text":"{}"}}}]}}`},
	{"interactions", formats.VCR, "---\nversion: 2\ninteractions:\n- request:\n    method: GET\n    url: http://exo/state\n  response:\n    code: 200\n    body: '{}'\n"},
	{"interactions first", formats.VCR, "interactions:\n- request:\n    method: GET\n    url: http://exo/state\n  response:\n    code: 200\n    body: '{}'\nversion: 2\n"},
	{"pairs", formats.Pairs, `{"request":{"model":"m","messages":[]},"response":{"choices":[]}}` + "\n"},
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpen tells what a file is, and reads it as that.
func TestOpen(t *testing.T) {
	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.text)
			format, err := formats.Of(path)
			if format != tt.want || err != nil {
				t.Fatalf("it is %q, %v; want %q", format, err, tt.want)
			}
			c, err := formats.Open(path, format)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if n := c.Head().Exchanges; n != 1 {
				t.Errorf("%d exchanges", n)
			}
		})
	}
}

// TestOpenNothing: what is no recording is read as a cassette, and refused; what is not there is an error for all.
func TestOpenNothing(t *testing.T) {
	path := write(t, "high tide at noon\n")
	format, err := formats.Of(path)
	if format != formats.Cassette || err != nil {
		t.Errorf("it is %q, %v", format, err)
	}
	if _, err := formats.Open(path, format); err == nil {
		t.Error("it was read")
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if _, err := formats.Of(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the format of what is not there: %v", err)
	}
	for _, format := range formats.Formats {
		if _, err := formats.Open(gone, format); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// FuzzOf: whatever a file is taken for can be tried, and what can be read as that is told to be that behind a byte order mark, too.
func FuzzOf(f *testing.F) {
	for _, x := range files {
		f.Add(x.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, text)
		format, err := formats.Of(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := formats.Open(path, format)
		if err != nil {
			return
		}
		defer c.Close()
		if strings.HasPrefix(text, "\ufeff") {
			return
		}
		marked := write(t, "\ufeff"+text)
		if got, err := formats.Of(marked); got != format || err != nil {
			t.Errorf("behind a byte order mark %q is %q, %v", format, got, err)
		}
		again, err := formats.Open(marked, format)
		if err != nil {
			t.Fatalf("behind a byte order mark %q: %v", format, err)
		}
		defer again.Close()
		if got, want := again.Head().Exchanges, c.Head().Exchanges; got != want {
			t.Errorf("%d exchanges, behind a byte order mark %d", want, got)
		}
	})
}

// The name of a format, as a flag has it.
func ExampleParse() {
	format, err := formats.Parse("har")
	fmt.Println(format, err)
	_, err = formats.Parse("pcap")
	fmt.Println(err)
	// Output:
	// har <nil>
	// "pcap" is no kind of recording; choose cassette, har, vcr or pairs
}
