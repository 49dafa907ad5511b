package redact

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exodeck/exodeck/proxy/record"
)

// credentialMembers are last words of names of members that carry credentials, in lower case and without "-" and "_": openai_api_key is one.
var credentialMembers = []string{
	"apikey", "accesstoken", "refreshtoken", "authtoken", "sessiontoken", "bearertoken", "authorizationtoken", "secret", "secretkey", "privatekey",
	"accesskey", "password", "passwd", "passphrase", "authorization",
}

// memberHolders are members of request bodies whose own members are looked at too, and serverLists lists of objects of which that is true:
// a tool that a server runs may come with what opens the server. What else stands in messages, input and tools is what a model is asked
// about, passwords included, and stays.
var (
	memberHolders = []string{"metadata", "extra_body", "extra_headers", "headers"}
	serverLists   = []string{"tools", "mcp_servers"}
)

func credentialMember(holder, name string) bool {
	plain := strings.ToLower(withoutSeparators.Replace(name))
	if plain == "idtoken" || slices.ContainsFunc(credentialMembers, func(last string) bool { return strings.HasSuffix(plain, last) }) {
		return true
	}
	return strings.HasSuffix(holder, "headers") && record.CredentialHeader(name)
}

var withoutSeparators = strings.NewReplacer("-", "", "_", "")

// Member is a value of a request body that is a credential because of the name it has.
type Member struct {
	// Name is where it stands: "password", "metadata.client_secret".
	Name string
	// Value is the credential, without the scheme in front of it ("Bearer ").
	Value []byte

	start, end int                      // in the body
	write      func(text []byte) []byte // what stands there for a text in the place of the value
}

// Members returns the credentials that stand in a request body under telling names: in a JSON object at the top, in metadata, extra_body,
// extra_headers and headers there, and in what tools and mcp_servers say of a server; or as the fields of a form. Values of less than 8
// bytes, placeholders, and names in place of values ("password": "password") are none. Of a body that ends early they are those up to there.
func Members(body []byte) []Member {
	text := bytes.TrimPrefix(body, byteOrderMark)
	s := &memberScan{body: text}
	switch {
	case startsJSON(text):
		s.dec = jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		s.object("") // what is found in front of an error counts
	case bytes.HasPrefix(text, []byte("--")):
		s.parts()
	default:
		s.form()
	}
	for i := range s.found {
		s.found[i].start += len(body) - len(text)
		s.found[i].end += len(body) - len(text)
	}
	return s.found
}

type memberScan struct {
	body  []byte
	dec   *jsontext.Decoder // of JSON
	found []Member
}

// object reads an object: the body, or what holder names.
func (s *memberScan) object(holder string) error {
	if s.dec.PeekKind() != '{' {
		return s.dec.SkipValue()
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() == '"' {
		token, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		path := name
		if holder != "" {
			path = holder + "." + name
		}
		switch {
		case slices.Contains(memberHolders, name):
			err = s.object(path)
		case holder == "" && slices.Contains(serverLists, name):
			err = s.each(func() error { return s.object(path) })
		case credentialMember(holder, name):
			err = s.each(func() error { return s.value(path, holder) })
		default:
			err = s.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

// each reads a value, or the values of a list.
func (s *memberScan) each(read func() error) error {
	if s.dec.PeekKind() != '[' {
		return read()
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() != ']' {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

// value reads what a member with a telling name has. Of a string that the body breaks off in, all there is counts.
func (s *memberScan) value(path, holder string) error {
	if s.dec.PeekKind() != '"' {
		return s.dec.SkipValue()
	}
	before := int(s.dec.InputOffset())
	start := before + bytes.IndexByte(s.body[before:], '"')
	raw, err := s.dec.ReadValue()
	whole := err == nil
	if !whole {
		raw = s.body[start:]
	}
	text := unquoted(raw, whole)
	scheme, credential := record.CutScheme(string(text))
	s.add(Member{
		Name: path, Value: []byte(credential), start: start, end: start + len(raw),
		write: func(text []byte) []byte {
			return value{broken: !whole}.write(append([]byte(scheme), text...))
		},
	}, holder)
	return err
}

// add keeps a member if it is a credential.
func (s *memberScan) add(m Member, holder string) {
	if len(m.Value) >= minKnown && !isPlaceholder(m.Value) && string(m.Value) != canonicalPlaceholder && !credentialMember(holder, string(m.Value)) {
		s.found = append(s.found, m)
	}
}

// formBody tells a form that is written as a query is.
var formBody = regexp.MustCompile(`\A[A-Za-z0-9_.%*+\[\]-]+=[!-~]*\z`)

// form reads a form that is written as a query is.
func (s *memberScan) form() {
	if !formBody.Match(s.body) {
		return
	}
	at := 0
	for field := range bytes.SplitSeq(s.body, []byte("&")) {
		name, text, _ := strings.Cut(string(field), "=")
		end := at + len(field)
		if plain, err := url.QueryUnescape(name); err == nil && record.CredentialParam(plain) {
			if value, err := url.QueryUnescape(text); err == nil {
				s.add(Member{
					Name: plain, Value: []byte(value), start: end - len(text), end: end,
					write: func(text []byte) []byte { return []byte(url.QueryEscape(string(text))) },
				}, "")
			}
		}
		at = end + 1
	}
}

// partHead is the head of a part of a form that is no file.
var partHead = regexp.MustCompile(`(?i)\r?\nContent-Disposition:[ \t]*form-data;[ \t]*name="?([^"\r\n;]+)"?[ \t]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n`)

// parts reads a form that is written in parts.
func (s *memberScan) parts() {
	boundary, _, ok := bytes.Cut(s.body, []byte("\n"))
	if !ok {
		return
	}
	boundary = append([]byte("\n"), bytes.TrimRight(boundary, "\r")...)
	for _, m := range partHead.FindAllSubmatchIndex(s.body, -1) {
		name := string(s.body[m[2]:m[3]])
		if !record.CredentialParam(name) {
			continue
		}
		end := len(s.body)
		if i := bytes.Index(s.body[m[1]-1:], boundary); i >= 0 {
			end = m[1] - 1 + i
		}
		if text := bytes.TrimSuffix(s.body[m[1]:max(m[1], end)], []byte("\r")); len(text) > 0 {
			s.add(Member{Name: name, Value: bytes.Clone(text), start: m[1], end: m[1] + len(text), write: bytes.Clone}, "")
		}
	}
}

// members returns the changes that take the credentials out of the members of a request body. They are secrets from here on, also
// when a change to what they stand in goes before.
func (r *Redactor) members(body []byte) []edit {
	var edits []edit
	for _, m := range Members(body) {
		text := m.write(r.replace("member", m.Value))
		edits = append(edits, edit{start: m.start, end: m.end, value: m.Value, kind: "member", text: func() []byte { return text }})
	}
	return edits
}
