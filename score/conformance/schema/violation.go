package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Kind is a kind of violation.
type Kind string

const (
	// Missing: a required property is absent.
	Missing Kind = "missing"
	// Type: a value has another type than the schema says.
	Type Kind = "type"
	// Enum: a value is none of those that are listed.
	Enum Kind = "enum"
	// Extra: a property is there that the schema neither declares nor allows.
	Extra Kind = "extra"
	// Constraint: any other rule is broken, such as a bound, a pattern, or that one of several schemas holds.
	Constraint Kind = "constraint"
)

// Violation is one way in which arguments are not what a schema says.
type Violation struct {
	Kind Kind
	// Path is a JSON pointer into the arguments.
	Path string
	// Detail says what is wrong, for a person.
	Detail string
}

var english = message.NewPrinter(language.English)

// violations returns the violations an error of the library tells, in an order that is always the same.
func violations(e *jsonschema.ValidationError) []Violation {
	all := flatten(nil, e)
	slices.SortFunc(all, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(all)
}

func flatten(all []Violation, e *jsonschema.ValidationError) []Violation {
	path := pointer(e.InstanceLocation)
	add := func(k Kind, format string, args ...any) {
		all = append(all, Violation{k, path, fmt.Sprintf(format, args...)})
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			all = flatten(all, cause)
		}
	case *kind.AnyOf:
		return union(all, e, path)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return union(all, e, path)
		}
		add(Constraint, "it fits more than one of the schemas of which it must fit one")
	case *kind.Required:
		for _, name := range k.Missing {
			add(Missing, "%q is missing", name)
		}
	case *kind.Type:
		add(Type, "it is %s, not %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		add(Enum, "%s is not one of %s", shown(k.Got), shown(k.Want))
	case *kind.Const:
		add(Enum, "%s is not %s", shown(k.Got), shown(k.Want))
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add(Extra, "%q is not a declared property", name)
		}
	case *kind.FalseSchema:
		if strings.HasSuffix(e.SchemaURL, "/unevaluatedProperties") {
			add(Extra, "it is not a declared property")
		} else {
			add(Constraint, "it is not allowed")
		}
	default:
		add(Constraint, "%s", e.ErrorKind.LocalizedString(english))
	}
	return all
}

// union tells why none of several schemas holds. Where all but one expect another type, as in a value that may be null, it is for the
// reasons of that one; where all do, the type is wrong.
func union(all []Violation, e *jsonschema.ValidationError, path string) []Violation {
	var types []string
	var rest [][]Violation
	for _, cause := range e.Causes {
		branch := violations(cause)
		if len(branch) == 1 && branch[0].Kind == Type && branch[0].Path == path {
			types = append(types, branch[0].Detail)
		} else {
			rest = append(rest, branch)
		}
	}
	switch {
	case len(rest) == 1:
		return append(all, rest[0]...)
	case len(rest) == 0 && len(types) > 0:
		return append(all, Violation{Type, path, strings.Join(types, "; ")})
	}
	return append(all, Violation{Constraint, path, "it fits none of the schemas of which it must fit one"})
}

// pointer writes a place as a JSON pointer.
func pointer(location []string) string {
	var b strings.Builder
	for _, part := range location {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return b.String()
}

// shown is a value in few characters.
func shown(v any) string {
	text := []rune(fmt.Sprintf("%v", v))
	if s, ok := v.(string); ok {
		text = []rune(fmt.Sprintf("%q", s))
	}
	if len(text) > 80 {
		return string(text[:79]) + "…"
	}
	return string(text)
}
