package markup

import "strings"

// minimaxTag stands before each tag of MiniMax-M3.
const minimaxTag = "]<]minimax[>["

// minimaxM3 reads calls whose arguments are named by their tags. Objects and lists are tags inside of tags; those of a list are all named
// item.
func minimaxM3(text string, types Types) []Call {
	return behind(text, minimaxTag+`<invoke name="`, func(start, at int) ([]Call, int) {
		name, _, ok := strings.Cut(front(text[at:]), `">`)
		if !ok || !wellNamed(name) {
			return nil, 0
		}
		r := nestedReader{rest: text[at+len(name)+len(`">`):]}
		arguments, _, ok := r.members("invoke", 0, func(key string) string { return types(name, key) })
		if !ok {
			return nil, 0
		}
		end := len(text) - len(r.rest)
		return []Call{{Name: name, Arguments: arguments, Start: start, End: end}}, end
	})
}

// nestedReader reads values of MiniMax-M3.
type nestedReader struct{ rest string }

// members reads tags with their values up to the end of the tag around them. items has the values when the tags are those of a list.
func (r *nestedReader) members(around string, depth int, declared func(key string) string) (object string, items []string, ok bool) {
	var w objectWriter
	for list := true; ; {
		name, ok := r.tag()
		switch {
		case !ok || depth > maxDepth:
			return "", nil, false
		case name == "/"+around:
			if !list {
				items = nil
			}
			return w.String(), items, true
		case !wellNamed(name):
			return "", nil, false
		}
		value, ok := r.value(name, depth+1, declared(name))
		if !ok {
			return "", nil, false
		}
		w.add(name, value)
		items = append(items, value)
		list = list && name == "item"
	}
}

// tag reads the next tag, with nothing but blanks before it, and returns what stands in it.
func (r *nestedReader) tag() (string, bool) {
	rest, ok := strings.CutPrefix(skipBlanks(r.rest), minimaxTag)
	rest, opened := strings.CutPrefix(skipBlanks(rest), "<")
	end := strings.IndexByte(front(rest), '>')
	if !ok || !opened || end < 0 {
		return "", false
	}
	r.rest = rest[end+1:]
	return rest[:end], true
}

// value reads what stands in the tag of a name: text, or tags.
func (r *nestedReader) value(name string, depth int, declared string) (string, bool) {
	i := strings.Index(r.rest, minimaxTag)
	if i < 0 {
		return "", false
	}
	text, before := r.rest[:i], r.rest
	r.rest = r.rest[i:]
	tag, ok := r.tag()
	if ok && tag == "/"+name {
		return typed(text, declared), true
	}
	r.rest = before
	object, items, ok := r.members(name, depth, func(string) string { return "" })
	if items != nil {
		return "[" + strings.Join(items, ",") + "]", ok
	}
	return object, ok
}
