package scenario

import (
	"errors"
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyjson"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// checkArgs looks for the required keys in the arguments of a call. problem says what is wrong, "" when nothing is. An error is an
// [*UnusableError]: arguments that exo's evaluator cannot even read.
func checkArgs(arguments pyvalue.Value, required []string) (problem string, err error) {
	args, problem, err := parseArgs(arguments)
	if problem != "" || err != nil {
		return problem, err
	}
	if missing := missingKeys(args, required); missing != nil {
		return "Missing keys: " + pyvalue.Repr(missing), nil
	}
	return "", nil
}

// checkNestedArgs looks for an array of objects with the required keys. Its results are those of [checkArgs].
func checkNestedArgs(arguments pyvalue.Value, arrayKey string, required []string) (problem string, err error) {
	args, problem, err := parseArgs(arguments)
	if problem != "" || err != nil {
		return problem, err
	}
	value := lookup(args, arrayKey, pyvalue.None{})
	list, ok := value.(*pyvalue.List)
	if !ok {
		return fmt.Sprintf("'%s' is not an array (got %s)", arrayKey, pyvalue.TypeName(value)), nil
	}
	if list.Len() == 0 {
		return fmt.Sprintf("'%s' is empty", arrayKey), nil
	}
	for i, item := range list.Items {
		object, ok := item.(*pyvalue.Dict)
		if !ok {
			return fmt.Sprintf("'%s[%d]' is not an object (got %s)", arrayKey, i, pyvalue.TypeName(item)), nil
		}
		if missing := missingKeys(object, required); missing != nil {
			return fmt.Sprintf("'%s[%d]' missing keys: %s", arrayKey, i, pyvalue.Repr(missing)), nil
		}
	}
	return "", nil
}

// parseArgs reads argument text as a JSON object.
func parseArgs(arguments pyvalue.Value) (args *pyvalue.Dict, problem string, err error) {
	var value pyvalue.Value
	switch a := arguments.(type) {
	case pyvalue.Str:
		value, err = pyjson.DecodeString(string(a))
	case pyvalue.Bytes:
		value, err = pyjson.Decode([]byte(a))
	default:
		return nil, "Invalid JSON: the JSON object must be str, bytes or bytearray, not " + pyvalue.TypeName(arguments), nil
	}
	if err != nil {
		if _, ok := errors.AsType[*pyjson.SyntaxError](err); ok {
			return nil, "Invalid JSON: " + err.Error(), nil
		}
		return nil, "", unreadable(err)
	}
	args, ok := value.(*pyvalue.Dict)
	if !ok {
		return nil, "Expected dict, got " + pyvalue.TypeName(value), nil
	}
	return args, "", nil
}

// unreadable words arguments that overstrain Python's reader.
func unreadable(err error) error {
	if _, ok := errors.AsType[*pyjson.DigitsError](err); ok {
		return unusable("the arguments hold a number too long to read", "ValueError", err.Error())
	}
	if _, ok := errors.AsType[*pyjson.DepthError](err); ok {
		return unusable("the arguments are nested too deep", "RecursionError", err.Error())
	}
	return unusable("the arguments are not text", "UnicodeDecodeError", err.Error())
}

// missingKeys lists the keys that d lacks, nil when it lacks none.
func missingKeys(d *pyvalue.Dict, required []string) *pyvalue.List {
	var missing *pyvalue.List
	for _, key := range required {
		if _, ok := d.GetStr(key); ok {
			continue
		}
		if missing == nil {
			missing = pyvalue.NewList()
		}
		missing.Append(pyvalue.Str(key))
	}
	return missing
}
