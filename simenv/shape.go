package simenv

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// shape checks one value of a world's tables and returns it as the simulator keeps it. World tables are files that people may edit; what
// has passed its shape can be used without looking again.
type shape func(v pyvalue.Value) (pyvalue.Value, error)

// record is the shape of an object: the fields it must have. It may have more.
type record map[string]shape

func (r record) check(v pyvalue.Value) (pyvalue.Value, error) {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, mustBe("an object", v)
	}
	for _, name := range slices.Sorted(maps.Keys(r)) {
		value, found := d.GetStr(name)
		if !found {
			return nil, fmt.Errorf("%s is missing", name)
		}
		kept, err := r[name](value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d.SetStr(name, kept)
	}
	return d, nil
}

// dictOf is an object with any keys, every value of one shape.
func dictOf(each shape) shape {
	return func(v pyvalue.Value) (pyvalue.Value, error) {
		d, ok := v.(*pyvalue.Dict)
		if !ok {
			return nil, mustBe("an object", v)
		}
		for key, value := range d.All() {
			if _, err := each(value); err != nil {
				return nil, fmt.Errorf("%s: %w", pyvalue.String(key), err)
			}
		}
		return d, nil
	}
}

// numbered is an object whose keys are whole numbers, which JSON can only write as text.
func numbered(each shape) shape {
	return func(v pyvalue.Value) (pyvalue.Value, error) {
		if _, err := dictOf(each)(v); err != nil {
			return nil, err
		}
		kept := pyvalue.NewDict()
		for key, value := range v.(*pyvalue.Dict).All() {
			id, ok := pyvalue.ParseInt(pyvalue.String(key), 10)
			if !ok {
				return nil, mustBe("a whole number as key", key)
			}
			if err := kept.Set(id, value); err != nil {
				return nil, err
			}
		}
		return kept, nil
	}
}

// listOf is a list, every element of one shape.
func listOf(each shape) shape {
	return func(v pyvalue.Value) (pyvalue.Value, error) {
		l, ok := v.(*pyvalue.List)
		if !ok {
			return nil, mustBe("a list", v)
		}
		for i, value := range l.Items {
			if _, err := each(value); err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
		}
		return l, nil
	}
}

func isText(v pyvalue.Value) (pyvalue.Value, error) {
	if _, ok := v.(pyvalue.Str); !ok {
		return nil, mustBe("a text", v)
	}
	return v, nil
}

func isBool(v pyvalue.Value) (pyvalue.Value, error) {
	if _, ok := v.(pyvalue.Bool); !ok {
		return nil, mustBe("true or false", v)
	}
	return v, nil
}

// isInt is a whole number that leaves room for counting on.
func isInt(v pyvalue.Value) (pyvalue.Value, error) {
	if i, ok := v.(pyvalue.Int); ok {
		if n, ok := i.Int64(); ok && n == int64(int32(n)) {
			return v, nil
		}
	}
	return nil, mustBe("a whole number of at most 32 bits", v)
}

func isFloat(v pyvalue.Value) (pyvalue.Value, error) {
	if _, ok := v.(pyvalue.Float); !ok {
		return nil, mustBe("a number with a decimal point, such as 500.0", v)
	}
	return v, nil
}

func isNumber(v pyvalue.Value) (pyvalue.Value, error) {
	switch v.(type) {
	case pyvalue.Float, pyvalue.Int:
		return v, nil
	}
	return nil, mustBe("a number", v)
}

// isTime is a time written in a layout of package time.
func isTime(layout string) shape {
	return func(v pyvalue.Value) (pyvalue.Value, error) {
		if _, err := time.Parse(layout, pyvalue.String(v)); err != nil {
			return nil, mustBe("a time such as "+layout, v)
		}
		return isText(v)
	}
}

func mustBe(want string, v pyvalue.Value) error {
	return fmt.Errorf("must be %s, is %s", want, pyvalue.Repr(v))
}
