package schema

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a schema that arguments can be checked against.
type Schema struct {
	compiled *jsonschema.Schema
	// Unchecked are the patterns that are left out, as they need another engine than Go's: see [Compile].
	Unchecked []string
}

// errElsewhere is why a reference out of a schema is not followed.
var errElsewhere = errors.New("it is outside the schema, and nothing is loaded")

// elsewhere refuses to load anything. The library itself would read files.
type elsewhere struct{}

func (elsewhere) Load(string) (any, error) { return nil, errElsewhere }

var _ jsonschema.URLLoader = elsewhere{}

// base is the address of a schema that states none.
const base = "tool:parameters"

// older are the drafts that a schema may be of which is none of the newest and does not say which it is: tuples are written otherwise since
// 2020-12, and bounds since draft 6.
var older = []*jsonschema.Draft{jsonschema.Draft7, jsonschema.Draft4}

// Compile reads a schema. The error says why it is unusable. Of patterns that only JavaScript's engine can read each value is taken to be right.
func Compile(raw []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	members, object := doc.(map[string]any)
	if _, boolean := doc.(bool); !object && !boolean {
		return nil, errors.New("the schema is neither an object nor a boolean")
	}
	tame(doc)
	s := &Schema{Unchecked: foreignPatterns(doc)}
	if len(s.Unchecked) > 0 {
		loosen(doc)
	}
	s.compiled, err = compile(doc, jsonschema.Draft2020)
	if _, told := members["$schema"]; err != nil && !told {
		for _, draft := range older {
			if compiled, olderErr := compile(doc, draft); olderErr == nil {
				s.compiled, err = compiled, nil
				break
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the schema is unusable: %w", reason(err))
	}
	return s, nil
}

// compile compiles a schema that is of a draft unless it says otherwise.
func compile(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(elsewhere{})
	c.UseRegexpEngine(engine)
	c.DefaultDraft(draft)
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	return c.Compile(base)
}

// reason picks the first complaint out of an error of the library, whose order is not always the same.
func reason(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var mismatch *jsonschema.ValidationError
	if !errors.As(err, &invalid) || !errors.As(invalid.Err, &mismatch) {
		return err
	}
	all := violations(mismatch)
	if len(all) == 0 {
		return err
	}
	return fmt.Errorf("at %q: %s", all[0].Path, all[0].Detail)
}

// Check returns in which ways arguments, which must be JSON, violate the schema, by place.
func (s *Schema) Check(arguments []byte) ([]Violation, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return nil, fmt.Errorf("the arguments are not JSON: %w", err)
	}
	err = s.compiled.Validate(tame(value))
	var mismatch *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &mismatch):
		return violations(mismatch), nil
	}
	return nil, fmt.Errorf("checking arguments: %w", err)
}

// Cache keeps compiled schemas, as the same tools are offered again and again. Its zero value is ready, and it may be used by several
// goroutines at a time.
type Cache struct {
	mu    sync.Mutex
	known map[string]compiled
	size  int // bytes of all schemas that are kept
}

type compiled struct {
	schema *Schema
	err    error
}

// cached is how many bytes of schemas are kept. When they are more, all are forgotten.
const cached = 8 << 20

// Compile is [Compile], remembered.
func (c *Cache) Compile(raw []byte) (*Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known[string(raw)]; ok {
		return known.schema, known.err
	}
	s, err := Compile(raw)
	if c.size += len(raw); c.known == nil || c.size > cached {
		c.known, c.size = make(map[string]compiled), len(raw)
	}
	c.known[string(raw)] = compiled{s, err}
	return s, err
}
