package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/exodeck/exodeck/replay/coding"
)

// What readers of other kinds of recordings have in common.

// maxForeign is how large a recording of another kind may be that is read whole.
const maxForeign = 256 << 20

// ReadForeign reads a recording of another kind whole, without the byte order mark that some editors put in front.
func ReadForeign(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxForeign+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxForeign {
		return nil, fmt.Errorf("%w: it has more than %d MiB", ErrTooLarge, maxForeign>>20)
	}
	return bytes.TrimPrefix(data, byteOrderMark), nil
}

// SetTarget says what was asked: a path, or an absolute URL that tells the upstream and the host too.
func (x *Entry) SetTarget(target string) error {
	if target == "" {
		return errors.New("it is missing")
	}
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	if u.Host != "" {
		x.Upstream, x.Request.Host = u.Scheme+"://"+u.Host, u.Host
	}
	x.Request.URL = u.RequestURI()
	return nil
}

// SetMethod says by which method, which is one word.
func (x *Entry) SetMethod(method string) error {
	x.Request.Method = method
	return checkMethod(method)
}

// TakeCoding takes the content coding out of the header of a body that a recording shows decoded, in size bytes, and returns it as
// [Entry] has it.
func TakeCoding(h http.Header, size int) string {
	codings := coding.Of(h)
	if len(codings) == 0 || size == 0 {
		return ""
	}
	h.Del("Content-Encoding")
	if h.Get("Content-Length") != "" {
		h.Set("Content-Length", strconv.Itoa(size))
	}
	return strings.Join(codings, ", ")
}
