package coding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// encode applies one coding; "raw-deflate" is deflate without its zlib frame.
func encode(t testing.TB, name string, plain []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	var err error
	switch name {
	case "gzip":
		w = gzip.NewWriter(&buf)
	case "deflate":
		w = zlib.NewWriter(&buf)
	case "raw-deflate":
		w, err = flate.NewWriter(&buf, flate.DefaultCompression)
	case "br":
		w = brotli.NewWriter(&buf)
	case "zstd":
		w, err = zstd.NewWriter(&buf)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

var plain = []byte(strings.Repeat(`data: {"choices":[{"delta":{"content":"tide"}}]}`+"\n\n", 50))

func read(t *testing.T, encoded []byte, codings ...string) ([]byte, error) {
	t.Helper()
	r, err := NewReader(iotest.OneByteReader(bytes.NewReader(encoded)), codings)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if cerr := r.Close(); cerr != nil {
		t.Errorf("Close: %v", cerr)
	}
	return got, err
}

func TestNewReader(t *testing.T) {
	tests := []struct {
		name    string
		encoded []byte
		codings []string
		want    []byte
	}{
		{"none", plain, nil, plain},
		{"gzip", encode(t, "gzip", plain), []string{"gzip"}, plain},
		{"x-gzip", encode(t, "gzip", plain), []string{"x-gzip"}, plain},
		{"deflate", encode(t, "deflate", plain), []string{"deflate"}, plain},
		{"bare deflate", encode(t, "raw-deflate", plain), []string{"deflate"}, plain},
		{"br", encode(t, "br", plain), []string{"br"}, plain},
		{"zstd", encode(t, "zstd", plain), []string{"zstd"}, plain},
		{"gzip, then br", encode(t, "br", encode(t, "gzip", plain)), []string{"gzip", "br"}, plain},
		{"two gzip members", append(encode(t, "gzip", []byte("a")), encode(t, "gzip", []byte("b"))...), []string{"gzip"}, []byte("ab")},
		{"empty gzip body", nil, []string{"gzip"}, []byte{}},
		{"empty zstd body", nil, []string{"zstd"}, []byte{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(t, tt.encoded, tt.codings...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(tt.want), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNewReaderCutShort(t *testing.T) {
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		t.Run(name, func(t *testing.T) {
			encoded := encode(t, name, plain)
			for n := 1; n < len(encoded); n++ {
				if _, err := read(t, encoded[:n], name); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%d of %d bytes: error %v, want %v", n, len(encoded), err, io.ErrUnexpectedEOF)
				}
			}
		})
	}
}

func TestNewReaderSourceFails(t *testing.T) {
	broken := errors.New("disk gone")
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		t.Run(name, func(t *testing.T) {
			encoded := encode(t, name, plain)
			src := io.MultiReader(bytes.NewReader(encoded[:len(encoded)/2]), iotest.ErrReader(broken))
			r, err := NewReader(src, []string{name})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(r); !errors.Is(err, broken) {
				t.Errorf("error %v, want %v", err, broken)
			}
		})
	}
}

func TestNewReaderUnknown(t *testing.T) {
	_, err := NewReader(strings.NewReader("x"), []string{"gzip", "snappy"})
	if err == nil || !strings.Contains(err.Error(), `"snappy" is not known`) {
		t.Errorf("error %v does not name the coding", err)
	}
	if Known([]string{"gzip", "snappy"}) || !Known([]string{"gzip", "zstd"}) {
		t.Error("Known does not tell snappy from zstd")
	}
}

func TestAccepted(t *testing.T) {
	tests := []struct {
		accept string
		coding string
		want   bool
	}{
		{"", "gzip", false},
		{"gzip, deflate", "gzip", true},
		{"GZIP", "gzip", true},
		{"gzip;q=0", "gzip", false},
		{"gzip;q=0.000, *", "gzip", false},
		{"gzip; q=0.5", "gzip", true},
		{"*", "br", true},
		{"*;q=0", "br", false},
		{"identity", "gzip", false},
	}
	for _, tt := range tests {
		h := http.Header{}
		if tt.accept != "" {
			h.Set("Accept-Encoding", tt.accept)
		}
		if got := Accepted(h, []string{tt.coding}); got != tt.want {
			t.Errorf("Accept-Encoding %q, coding %s: %v, want %v", tt.accept, tt.coding, got, tt.want)
		}
	}
}

// FuzzNewReader: an error names the coding, and what was encoded by one and then another is read as it was.
func FuzzNewReader(f *testing.F) {
	for _, name := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(name, encode(f, name, plain))
		f.Add(name, []byte("plain"))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		r, err := NewReader(bytes.NewReader(data), []string{name})
		if err != nil {
			return
		}
		defer r.Close()
		_, err = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("error %q does not name the coding %q", err, name)
		}
		all := []string{"gzip", "deflate", "br", "zstd"}
		first, second := all[len(data)%len(all)], all[len(name)%len(all)]
		again, err := NewReader(bytes.NewReader(encode(t, second, encode(t, first, data))), []string{first, second})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if got, err := io.ReadAll(again); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s and %s: %q became %q, %v", first, second, data, got, err)
		}
	})
}

func Example() {
	var encoded bytes.Buffer
	w := gzip.NewWriter(&encoded)
	io.WriteString(w, "low water at ten past six")
	w.Close()

	h := http.Header{"Content-Encoding": {"gzip"}}
	r, err := NewReader(&encoded, Of(h))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	fmt.Println(string(text), err)
	// Output: low water at ten past six <nil>
}
