package pysource

import (
	"strings"

	"github.com/exodeck/exodeck/simenv/pycall"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// evaluate returns the value of an expression, nil when it is not a literal.
func evaluate(expression string) pyvalue.Value {
	e, err := pycall.Parse(strings.TrimSpace(expression))
	if err != nil {
		return nil
	}
	v, err := pycall.Literal(e)
	if err != nil {
		return nil
	}
	return v
}
