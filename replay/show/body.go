package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// bodyShown is how many bytes of a body that is no conversation are printed.
	bodyShown = 4 << 10
	// valueShown is how many bytes a value of another kind than text may have to be printed.
	valueShown = 400
)

// body prints a body that is no conversation: JSON indented and without its long strings, other text as it is, anything else by size
// and type. When excerpt is set, text that is too long is printed as far as it may be; otherwise it is told by size and type too. Of
// a large body not all was read: recorded is its size on the tape.
func (p *printer) body(name string, h http.Header, body []byte, recorded int64, excerpt bool) {
	if len(body) == 0 {
		p.line("%s: empty", name)
		return
	}
	text := string(body)
	var indented bytes.Buffer
	isJSON := json.Indent(&indented, body, "", "  ") == nil
	if isJSON {
		text = jsonString.ReplaceAllStringFunc(indented.String(), briefString)
	}
	size := max(int64(len(body)), recorded)
	rest := int64(len(text)-bodyShown) + size - int64(len(body))
	if !isJSON && !utf8.Valid(body) || rest > 0 && !excerpt {
		p.line("%s: %s; --raw prints them", name, Printable(sizeAndType(size, h)))
		return
	}
	if rest > 0 {
		text = strings.ToValidUTF8(text[:bodyShown], "")
	}
	p.block(name, text)
	if rest > 0 {
		p.line("  … and %s more; --raw prints all", Count(rest, "byte"))
	}
}

// jsonString finds the strings of a valid JSON text.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// briefString is a JSON string in brief.
func briefString(quoted string) string {
	return `"` + brief(quoted[1:len(quoted)-1]) + `"`
}

func sizeAndType(size int64, h http.Header) string {
	kind := h.Get("Content-Type")
	if mediaType, _, err := mime.ParseMediaType(kind); err == nil {
		kind = mediaType
	}
	if kind == "" {
		kind = "an untold type"
	}
	return fmt.Sprintf("%s of %s", Count(size, "byte"), kind)
}

// brief is a value as it is, or its size when it is long, with its type when it is a data URL.
func brief(value string) string {
	if len(value) <= valueShown {
		return value
	}
	kind := ""
	if rest, ok := strings.CutPrefix(value[:valueShown], "data:"); ok {
		kind, _, _ = strings.Cut(rest, ",")
		kind += ", "
	}
	return fmt.Sprintf("(%s%d bytes)", kind, len(value))
}
