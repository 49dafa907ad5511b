package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// vcrMark is the line that the exchanges of a YAML cassette begin with.
var vcrMark = regexp.MustCompile(`(?m)^interactions:`)

// other looks at a text that is not JSON: a YAML cassette of another program, or anything.
func (v *verifier) other(r io.Reader) ([]Problem, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxLine+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxLine {
		return nil, fmt.Errorf("%w: a text that is no JSON is longer than %d MiB", ErrTooLarge, MaxLine>>20)
	}
	if documents := readVCR(text); len(documents) > 0 {
		for _, doc := range documents {
			if err = v.node("", nil, doc); err != nil {
				break
			}
		}
	} else {
		err = v.plain(text)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return v.problems, fmt.Errorf("line %d: %w", v.line, err)
	}
	return v.problems, nil
}

// readVCR returns the documents of a YAML cassette; none when it is another text.
func readVCR(text []byte) []*yaml.Node {
	if !vcrMark.Match(text) {
		return nil
	}
	var documents []*yaml.Node
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		doc := &yaml.Node{}
		switch err := d.Decode(doc); {
		case err == io.EOF:
			return documents
		case err != nil:
			return nil
		}
		documents = append(documents, doc)
	}
}

// node looks at a value of a YAML text. Where it is used again it is not looked at again.
func (v *verifier) node(field string, at *spot, n *yaml.Node) error {
	if v.depth++; v.depth > maxVerifyDepth {
		return fmt.Errorf("%w: it is nested deeper than %d", ErrTooLarge, maxVerifyDepth)
	}
	defer func() { v.depth-- }()
	v.line = n.Line
	if err := v.comments(field, n); err != nil {
		return err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return v.node(field, at, n.Content[0])
	case yaml.MappingNode:
		return v.mapping(field, at, slices.Collect(slices.Chunk(n.Content, 2)))
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if err := v.node(fmt.Sprintf("%s[%d]", field, i), at, item); err != nil {
				return err
			}
		}
	case yaml.ScalarNode:
		var text string
		if err := n.Decode(&text); err != nil {
			text = n.Value
		}
		if at != nil && n.ShortTag() == "!!binary" {
			return v.binary(field, at, []byte(text))
		}
		return v.text(field, at, []byte(text))
	}
	return nil
}

// mapping looks at the members of an object. Its headers come first, since they tell how the body beside them is coded.
func (v *verifier) mapping(field string, in *spot, members [][]*yaml.Node) error {
	slices.SortStableFunc(members, func(a, b []*yaml.Node) int {
		switch {
		case a[0].Value == b[0].Value:
			return 0
		case a[0].Value == "headers":
			return -1
		case b[0].Value == "headers":
			return 1
		}
		return 0
	})
	for _, m := range members {
		at := &spot{name: m[0].Value, in: in}
		v.line = m[0].Line
		name, err := v.name(field, at.name)
		if err != nil {
			return err
		}
		if err := v.comments(name, m[0]); err != nil {
			return err
		}
		if err := v.node(name, at, m[1]); err != nil {
			return err
		}
	}
	return nil
}

// comments looks at what a person wrote beside a value.
func (v *verifier) comments(field string, n *yaml.Node) error {
	for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		if err := v.found(field, v.scanner.Scan([]byte(comment), 2)); err != nil {
			return err
		}
	}
	return nil
}

// plain looks at a text line by line.
func (v *verifier) plain(text []byte) error {
	for _, f := range v.scanner.Scan(text, 3) {
		v.line = 1 + bytes.Count(text[:f.Offset], []byte("\n"))
		if err := v.add("", f.String()); err != nil {
			return err
		}
	}
	return nil
}
