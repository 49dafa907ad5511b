package cassette

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// newDecoder returns a decoder of data. Names may come twice as far as it is concerned: bodies are nobody's business, and
// [lineDecoder] minds the rest.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
}

// lineDecoder reads the values of one line.
type lineDecoder struct{ *jsontext.Decoder }

// object reads an object and calls each for every member that is not null, to read its value.
func (d lineDecoder) object(each func(name string) error) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '{' {
		return fmt.Errorf("an object is needed, not %s", describe(t.Kind()))
	}
	seen := make(map[string]bool, 8)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		if t.Kind() == '}' {
			return nil
		}
		name := t.String()
		if seen[name] {
			return in(name, errors.New("the key comes twice"))
		}
		seen[name] = true
		if d.PeekKind() == 'n' && name != "body" {
			if _, err := d.ReadToken(); err != nil {
				return in(name, err)
			}
			continue
		}
		if err := each(name); err != nil {
			return in(name, err)
		}
	}
}

func describe(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 'n':
		return "null"
	}
	return "true or false"
}

// unknown keeps the value of a member this version does not know.
func (d lineDecoder) unknown(name string, into *members) error {
	v, err := d.ReadValue()
	*into = append(*into, member{name, bytes.Clone(v)})
	return err
}

// array reads an array and calls each for every element, to read it.
func (d lineDecoder) array(each func(i int) error) error {
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '[' {
		return fmt.Errorf("an array is needed, not %s", describe(t.Kind()))
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		if err := each(i); err != nil {
			return in("["+strconv.Itoa(i)+"]", err)
		}
	}
	_, err = d.ReadToken()
	return err
}

// text reads a string, or {"base64": "..."}.
func (d lineDecoder) text(into *string) error {
	if d.PeekKind() == '{' {
		return d.object(func(name string) error {
			if name != "base64" {
				return errors.New(`a string, or an object with the one key "base64", is needed`)
			}
			data, err := d.base64()
			*into = string(data)
			return err
		})
	}
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '"' {
		return fmt.Errorf("a string is needed, not %s", describe(t.Kind()))
	}
	*into = t.String()
	return nil
}

func (d lineDecoder) base64() ([]byte, error) {
	var s string
	if k := d.PeekKind(); k != '"' {
		return nil, fmt.Errorf("a string is needed, not %s", describe(k))
	}
	if err := d.text(&s); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(s)
}

func (d lineDecoder) literal() (string, error) {
	t, err := d.ReadToken()
	if err != nil {
		return "", err
	}
	if t.Kind() != '0' {
		return "", fmt.Errorf("a number is needed, not %s", describe(t.Kind()))
	}
	return t.String(), nil
}

func (d lineDecoder) number(into *int64, most int64) error {
	s, err := d.literal()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > most {
		return fmt.Errorf("%s is no whole number from 0 to %d", s, most)
	}
	*into = n
	return nil
}

// maxMillis is some nine years.
const maxMillis = 1 << 38

func (d lineDecoder) millis(into *time.Duration) error {
	s, err := d.literal()
	if err != nil {
		return err
	}
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil || ms < 0 || ms > maxMillis {
		return fmt.Errorf("%s is no number of milliseconds from 0 to %d", s, int64(maxMillis))
	}
	*into = time.Duration(math.Round(ms*1000)) * time.Microsecond
	return nil
}

func (d lineDecoder) time(into *time.Time) error {
	var s string
	if err := d.text(&s); err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1700 || t.Year() > 2200 {
		return fmt.Errorf("%.40q is no time; write 2026-01-31T15:04:05Z", s)
	}
	*into = t.UTC()
	return nil
}
