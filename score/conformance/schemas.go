package conformance

import (
	"fmt"

	"github.com/exodeck/exodeck/score/conformance/quote"
)

// toolSchemas looks whether the schemas of the offered tools can be used, and says of which patterns nothing is.
func (j *trial) toolSchemas() {
	if j.q == nil {
		return
	}
	for i := range j.q.Tools {
		t := &j.q.Tools[i]
		if len(t.Schema) == 0 {
			continue
		}
		s, err := j.judge.schemas.Compile(t.Schema)
		if err != nil {
			j.add("schema-unusable", Where{In: InRequest, Path: fmt.Sprintf("/tools/%d", i)}, fmt.Sprintf("tool %s: %v", t.Name, err))
			continue
		}
		for _, pattern := range s.Unchecked {
			j.report.Unchecked = append(j.report.Unchecked, fmt.Sprintf("the pattern %q of tool %s, which needs JavaScript's own engine", quote.Short(pattern), t.Name))
		}
	}
}

// checkSchema checks the arguments of a call against the schema of its tool.
func (j *trial) checkSchema(i int) {
	name := j.a.ToolCalls[i].Name
	t := j.tool(name)
	if t == nil {
		t = j.tool(j.cleaned(name))
	}
	if t == nil {
		return
	}
	s, err := j.judge.schemas.Compile(t.schema)
	if err != nil {
		return // there is no schema, or one of which the request is told
	}
	violations, err := s.Check(j.args[i].object)
	if err != nil {
		return // arguments that are JSON can be checked
	}
	for _, v := range violations {
		w := j.call(i)
		w.Argument = v.Path
		detail := fmt.Sprintf("arguments of %s: %s", name, v.Detail)
		if v.Path != "" {
			detail = fmt.Sprintf("arguments of %s at %s: %s", name, v.Path, v.Detail)
		}
		j.add(violationCodes[string(v.Kind)], w, detail)
	}
}

// violationCodes says which problem each kind of violation of a schema is.
var violationCodes = map[string]string{
	"missing": "missing-required", "type": "type-mismatch", "enum": "enum-violation", "extra": "extra-property", "constraint": "constraint-violation",
}
