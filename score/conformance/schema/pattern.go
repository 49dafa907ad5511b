package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// JSON Schema's patterns are JavaScript's. Go's engine has no lookahead, no backreference and no long repetition, for which it needs no more
// time than the text is long; one that has them may try for ages, and a verdict must not depend on how long it may. So patterns that need
// another engine are left out, and all else in the schema is checked. Schemas are loosened where they are, so that no value is called wrong
// for a pattern that nobody tried.

// escapes finds the escapes of a pattern: \uXXXX and \u{X}, which Go writes \x{X}, and all others, lest the end of one be taken for one.
var escapes = regexp.MustCompile(`\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|.)`)

// compilePattern compiles a pattern as JavaScript means it.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	return regexp.Compile(escapes.ReplaceAllStringFunc(pattern, func(s string) string {
		m := escapes.FindStringSubmatch(s)
		switch hex := m[1] + m[2]; {
		case hex == "", len(hex) == 4 && strings.Contains("dD", hex[:1]) && hex[1] >= '8': // half of a surrogate pair is no character
			return s
		default:
			return `\x{` + hex + `}`
		}
	}))
}

// broken are errors of patterns that are wrong in JavaScript, too.
var broken = []syntax.ErrorCode{
	syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket, syntax.ErrTrailingBackslash, syntax.ErrMissingRepeatArgument,
	syntax.ErrInvalidRepeatOp,
}

// foreign reports whether a pattern is one that only another engine can read.
func foreign(pattern string) bool {
	_, err := compilePattern(pattern)
	var invalid *syntax.Error
	if !errors.As(err, &invalid) {
		return false
	}
	everything := strings.Contains(pattern, "[]") || strings.Contains(pattern, "[^]") // nothing and anything in JavaScript
	return !slices.Contains(broken, invalid.Code) || everything && invalid.Code == syntax.ErrMissingBracket
}

// engine gives the library its patterns. Those that are foreign are left only as names of properties, of which every one fits.
func engine(pattern string) (jsonschema.Regexp, error) {
	if foreign(pattern) {
		return anything(pattern), nil
	}
	return compilePattern(pattern)
}

// anything is a pattern that fits every text.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

var _ jsonschema.Regexp = anything("")

// named are the keywords whose members are schemas, each under a name.
var named = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}

// data are the keywords that hold values, not schemas.
var data = []string{"const", "enum", "default", "examples", "example"}

// foreignPatterns returns the patterns of a schema that are foreign, sorted.
func foreignPatterns(schema any) []string {
	var found []string
	visit(schema, func(s map[string]any) {
		if p, ok := s["pattern"].(string); ok && foreign(p) {
			found = append(found, p)
		}
		if all, ok := s["patternProperties"].(map[string]any); ok {
			for p := range all {
				if foreign(p) {
					found = append(found, p)
				}
			}
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// loosen takes the foreign patterns out of a schema. What is wrong when a part of it fits (not, if, more than one of oneOf, more items than
// maxContains) goes with them, as does what refers elsewhere from there.
func loosen(schema any) {
	visit(schema, func(s map[string]any) {
		if part, ok := s["contains"]; ok && (len(foreignPatterns(part)) > 0 || refers(part)) {
			delete(s, "maxContains")
		}
		for _, keyword := range []string{"not", "if", "oneOf"} {
			part, ok := s[keyword]
			if !ok || len(foreignPatterns(part)) == 0 && !refers(part) {
				continue
			}
			delete(s, keyword)
			if _, taken := s["anyOf"]; keyword == "oneOf" && !taken {
				s["anyOf"] = part
			}
		}
	})
	visit(schema, func(s map[string]any) {
		if p, ok := s["pattern"].(string); ok && foreign(p) {
			delete(s, "pattern")
		}
		if all, ok := s["patternProperties"].(map[string]any); ok {
			for p := range all {
				if foreign(p) {
					all[p] = true
				}
			}
		}
	})
}

// refers reports whether a part of a schema refers to another.
func refers(part any) (found bool) {
	visit(part, func(s map[string]any) {
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			_, ok := s[keyword]
			found = found || ok
		}
	})
	return found
}

// visit calls f with a schema, or with each of a list, and then with those inside.
func visit(v any, f func(schema map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			visit(item, f)
		}
	case map[string]any:
		f(v)
		for keyword, part := range v {
			members, ok := part.(map[string]any)
			switch {
			case slices.Contains(data, keyword):
			case ok && slices.Contains(named, keyword):
				for _, member := range members {
					visit(member, f)
				}
			default:
				visit(part, f)
			}
		}
	}
}
