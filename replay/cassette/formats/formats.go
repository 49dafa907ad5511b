// Package formats reads recordings of all the kinds that exodeck knows, its own and those of others, as cassettes.
package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/har"
	"github.com/exodeck/exodeck/replay/cassette/pairs"
	"github.com/exodeck/exodeck/replay/cassette/vcr"
)

// Format is a kind of recording.
type Format string

const (
	// Cassette is our own: see package cassette.
	Cassette Format = "cassette"
	// HAR is an HTTP Archive, as browsers and proxies write it: see package har.
	HAR Format = "har"
	// VCR is the YAML of go-vcr and of VCR.py: see package vcr.
	VCR Format = "vcr"
	// Pairs are JSON Lines of requests and responses: see package pairs.
	Pairs Format = "pairs"
)

// Formats are all there are.
var Formats = []Format{Cassette, HAR, VCR, Pairs}

// Parse reads the name of a format.
func Parse(s string) (Format, error) {
	if f := Format(s); slices.Contains(Formats, f) {
		return f, nil
	}
	return "", fmt.Errorf("%q is no kind of recording; choose cassette, har, vcr or pairs", s)
}

// Open reads the recording at path. It is to be closed.
func Open(path string, format Format) (*cassette.Cassette, error) {
	switch format {
	case HAR:
		return open(path, har.Read)
	case VCR:
		return open(path, vcr.Read)
	case Pairs:
		return open(path, pairs.Read)
	}
	return cassette.Open(path)
}

func open(path string, read func(r io.Reader, name string) (*cassette.Cassette, error)) (c *cassette.Cassette, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return read(f, path)
}

// sniffed is how much of a file is looked at to tell what it is.
const sniffed = 64 << 10

// Of tells by its beginning of what kind the recording at path is. What looks like none is taken for a cassette, whose reader says what
// is wrong with it.
func Of(path string) (format Format, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head, err := io.ReadAll(io.LimitReader(f, sniffed))
	if err != nil {
		return "", err
	}
	return formatOf(head), nil
}

func formatOf(head []byte) Format {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	squeezed := strings.Join(strings.Fields(string(head[:min(len(head), 400)])), "")
	has := func(member string) bool { return bytes.Contains(line, []byte(member)) }
	switch {
	case strings.HasPrefix(squeezed, `{"log":`):
		return HAR
	case has(`"response"`) && has(`"request"`) && !has(`"method"`):
		return Pairs
	case bytes.HasPrefix(head, []byte("interactions:")) || bytes.Contains(head, []byte("\ninteractions:")):
		return VCR
	}
	return Cassette
}
