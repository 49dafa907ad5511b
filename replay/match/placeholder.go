package match

import (
	"hash/maphash"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/wire"
)

const (
	// redacted is what [Options.Canonical] puts in the place of every secret it recognises and of every placeholder.
	redacted = "[redacted]"
	// minFilled is the length from which on a recording is redacted of a text wherever it stands, so that a request which only
	// quotes it does not tell that it is a secret.
	minFilled = 8
	// maxFilled keeps a whole prompt from being taken for a secret.
	maxFilled = 256
	// filledShare is how many bytes the placeholders of a message may stand for, for each byte of its letters and digits outside
	// of them. What is hardly more than a placeholder would answer anything.
	filledShare = 3
	// maxPlaceholders bounds what is kept of a request.
	maxPlaceholders = 256
	// pieceEnd is how much of the beginning and of the end of a piece is kept as it is, in bytes.
	pieceEnd = 32
)

// placeholderForm is the form of placeholders in redacted recordings. Equal ones stand for equal secrets.
var placeholderForm = regexp.MustCompile(`\[redacted:[a-z0-9-]+:[0-9]{1,9}\]`)

// template is what is kept of the text of a recorded request that holds placeholders. It is small however long the text is, so
// requests are compared with it without reading a body again.
type template struct {
	// named is equal for texts that are equal, the numbers of their placeholders included.
	named  key
	json   bool
	pieces []piece  // what stands around the placeholders: one more than there are
	holes  []hole   // the placeholders
	names  []string // the different ones
	room   []int    // by message: how many bytes its placeholders may stand for together
}

// piece is a text between placeholders.
type piece struct {
	size       int
	sum        uint64
	head, tail string // its first and last bytes
}

// hole is the place of a placeholder.
type hole struct {
	name    int // number in the names of the template
	message int
}

// newTemplate makes the template of a text. shown is the text as it is compared, named the same with the placeholders that were
// recorded. It returns nil when there are none, too many, or when the two do not tell which is where.
func newTemplate(shown, named string, json bool) *template {
	places := placeholderForm.FindAllStringIndex(named, maxPlaceholders+1)
	if len(places) == 0 || len(places) > maxPlaceholders || placeholderForm.ReplaceAllLiteralString(named, redacted) != shown {
		return nil
	}
	t := &template{named: newKey("named", named), json: json}
	numbers := map[string]int{}
	m := messages{quoted: json}
	at := 0
	for _, place := range places {
		name := named[place[0]:place[1]]
		number, ok := numbers[name]
		if !ok {
			number = len(numbers)
			t.names = append(t.names, strings.Clone(name))
			numbers[name] = number
		}
		m.read(named[at:place[0]])
		t.pieces = append(t.pieces, newPiece(named[at:place[0]]))
		t.holes = append(t.holes, hole{number, m.hole()})
		at = place[1]
	}
	m.read(named[at:])
	t.pieces = append(t.pieces, newPiece(named[at:]))
	t.room = m.room
	return t
}

func newPiece(text string) piece {
	end := min(len(text), pieceEnd)
	return piece{len(text), maphash.String(seed, text), strings.Clone(text[:end]), strings.Clone(text[len(text)-end:])}
}

// messages counts the letters and digits of the messages that hold placeholders. A message is a string of a JSON text, and all of a
// text that is none.
type messages struct {
	quoted  bool // the text is JSON
	inside  bool // a string
	escaped bool
	letters int   // of this message until now, in bytes
	held    bool  // it holds a placeholder, so room has a place for it
	room    []int // of messages with placeholders
}

func (m *messages) read(text string) {
	for _, r := range text {
		switch {
		case m.escaped:
			m.escaped = false
		case m.quoted && r == '"':
			m.inside = !m.inside
			m.letters, m.held = 0, false
		case m.quoted && r == '\\':
			m.escaped = m.inside
		case (m.inside || !m.quoted) && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			m.letters += utf8.RuneLen(r)
			if m.held {
				m.room[len(m.room)-1] = m.letters * filledShare
			}
		}
	}
}

// hole says that a placeholder stands here and returns the number of its message.
func (m *messages) hole() int {
	if !m.held {
		m.held = true
		m.room = append(m.room, m.letters*filledShare)
	}
	return len(m.room) - 1
}

// filledText is the text of a body that is compared with templates.
func (o Options) filledText(api tape.API, body []byte) string {
	if parsed, ok := parse(api, body); ok {
		return o.meaningText(parsed)
	}
	return string(canonical(body))
}

// meaningText is what rule 3 compares of a model call, or rule 4 where it is allowed.
func (o Options) meaningText(r *wire.Request) string {
	text := string(r.Meaning(!o.AnyModel))
	if o.SameMode && r.Stream {
		text += " streamed"
	}
	return text
}
