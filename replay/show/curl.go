package show

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/reading"
)

// notRepeated are the headers that curl makes itself, or that say how one connection was used.
var notRepeated = []string{"Content-Length", "Transfer-Encoding", "Connection", "Expect", "Accept-Encoding", "Te", "User-Agent"}

// argumentSize is how long a body may be as an argument of a command. Linux takes 128 KiB.
const argumentSize = 64 << 10

// What stands for credentials in a header and in a query: on a tape fingerprints, in a redacted cassette placeholders.
var (
	headerStandIn = regexp.MustCompile(`\[(?:fingerprint:[0-9a-f]{16}|redacted:[a-z0-9-]+:[0-9]+)\]`)
	paramStandIn  = regexp.MustCompile(`([^?&=]*)=(%5B(?:fingerprint%3A[0-9a-f]{16}|redacted%3A[a-z0-9-]+%3A[0-9]+)%5D)`)
)

// masked takes out credentials that a recording holds after all, since somebody wrote it by hand. Variables stand for the fingerprints, so that
// their key does not matter.
var masked record.Redactor

// Curl prints the shell command that asks again. It holds no credentials: a comment says which variables to set for them, and for the
// server where the recording does not name it. Placeholders stand for what has the form of a secret.
func Curl(ctx context.Context, w io.Writer, src reading.Source, x *tape.Exchange) error {
	c := &curlCommand{}
	target := redact.Text(masked.URL(x.Request.URL))
	if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") && target != "*" {
		target = strings.TrimSuffix(masked.URL(x.Upstream), "/") + target
	}
	c.options(x.Request.Method, target)
	switch {
	case target == "*":
		c.add("--request-target " + shellQuote(target) + " " + shellQuote(x.Upstream))
	case strings.HasPrefix(target, "/"):
		c.comment("the recording does not say which server was asked: set UPSTREAM to its base URL, such as http://localhost:52415")
		c.add(`"$UPSTREAM"` + c.url(target))
	default:
		c.add(c.url(target))
	}
	header := masked.Header(x.Request.Header)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if !slices.Contains(notRepeated, name) {
			for _, v := range header[name] {
				c.header(name, redact.Text(v))
			}
		}
	}
	body, err := src.Body(ctx, x.Request.Body)
	if err == nil {
		defer body.Close()
		err = c.write(w, x.Request, body)
	}
	if err != nil {
		return fmt.Errorf("printing the request of %s/%d: %w", x.Session, x.Seq, err)
	}
	return nil
}

// curlCommand is a command on its way to be printed.
type curlCommand struct {
	comments  strings.Builder
	variables []string // that a comment names
	words     strings.Builder
}

// add adds words on the first line.
func (c *curlCommand) add(words string) {
	if c.words.Len() > 0 {
		c.words.WriteByte(' ')
	}
	c.words.WriteString(words)
}

// addLine adds words on a line of their own.
func (c *curlCommand) addLine(words string) { c.words.WriteString(" \\\n  " + words) }

func (c *curlCommand) comment(format string, args ...any) {
	c.comments.WriteString("# " + Printable(fmt.Sprintf(format, args...)) + "\n")
}

func (c *curlCommand) options(method, target string) {
	c.add("curl -sS -N")
	if strings.ContainsAny(target, "[]{}") {
		c.add("-g") // they are no patterns
	}
	if strings.Contains(target, "/.") {
		c.add("--path-as-is")
	}
	if method == http.MethodHead {
		c.add("--head") // with -X curl would wait for a body
	} else {
		c.add("-X " + shellQuote(method))
	}
}

// url quotes a URL, with variables in place of credentials.
func (c *curlCommand) url(target string) string {
	var word strings.Builder
	at := 0
	for _, m := range paramStandIn.FindAllStringSubmatchIndex(target, -1) {
		word.WriteString(shellQuote(target[at:m[4]]) + c.variable(target[m[2]:m[3]]))
		at = m[5]
	}
	if at < len(target) {
		word.WriteString(shellQuote(target[at:]))
	}
	return word.String()
}

func (c *curlCommand) header(name, v string) {
	m := headerStandIn.FindStringIndex(v)
	switch {
	case m != nil && m[1] == len(v):
		c.addLine("-H " + shellQuote(name+": "+v[:m[0]]) + c.variable(name))
	case v == "":
		c.addLine("-H " + shellQuote(name+";")) // with a colon it would not be sent
	default:
		c.addLine("-H " + shellQuote(name+": "+v))
	}
}

// variable returns the shell variable that stands for a credential, and says so in a comment.
func (c *curlCommand) variable(name string) string {
	variable := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	if variable == "" || variable[0] >= '0' && variable[0] <= '9' {
		variable = "_" + variable
	}
	if !slices.Contains(c.variables, variable) {
		c.variables = append(c.variables, variable)
		c.comment("%s is left out: set %s to it", name, variable)
	}
	return `"$` + variable + `"`
}

// write writes the command with the body of its request: as an argument where that can be, else in Base64 as a here-document.
func (c *curlCommand) write(w io.Writer, r tape.Request, body io.Reader) error {
	whole, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	asked := redact.Text(string(whole))
	if asked != string(whole) {
		c.comment("placeholders stand for the secrets in the body")
	}
	before := ""
	if asked != "" && r.Method == http.MethodHead {
		c.comment("the request had a body of %s, which curl does not send with HEAD", Count(r.Body.Size, "byte"))
	} else if asked != "" {
		if r.Header.Get("Content-Type") == "" {
			c.addLine("-H 'Content-Type:'") // keeps curl from calling it a form
		}
		if utf8.ValidString(asked) && !strings.ContainsRune(asked, 0) && asked[0] != '@' && len(asked) <= argumentSize {
			c.addLine("--data-binary " + shellQuote(asked))
		} else {
			before = "base64 -d <<'END' | "
			c.add("--data-binary @-")
		}
	}
	if _, err := io.WriteString(w, c.comments.String()+before+c.words.String()+"\n"); err != nil || before == "" {
		return err
	}
	out := bufio.NewWriter(w)
	encoder := base64.NewEncoder(base64.StdEncoding, out)
	if _, err := io.WriteString(encoder, asked); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	if _, err := out.WriteString("\nEND\n"); err != nil {
		return err
	}
	return out.Flush()
}

// shellQuote quotes text for a POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
