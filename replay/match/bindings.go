package match

// bindings are what placeholders of a redacted recording stood for in the requests that were answered so far. They tell requests from
// each other that are equal but for a secret. The first text that a placeholder stood for stays its text, and no other of its
// session has that.
type bindings struct {
	texts map[placeholderOf]string
	names map[textIn]string
}

// A number means the same inside of a session only: others may have been redacted apart.
type (
	placeholderOf struct{ session, name string }
	textIn        struct{ session, text string }
)

func newBindings() bindings {
	return bindings{texts: map[placeholderOf]string{}, names: map[textIn]string{}}
}

// agree reports whether a placeholder may stand for a text.
func (b bindings) agree(session, name, text string) bool {
	known, bound := b.texts[placeholderOf{session, name}]
	other, taken := b.names[textIn{session, text}]
	return (!bound || known == text) && (!taken || other == name)
}

// add has a placeholder stand for a text, unless it stands for another one or another one for it.
func (b bindings) add(session, name, text string) {
	if b.agree(session, name, text) {
		b.texts[placeholderOf{session, name}] = text
		b.names[textIn{session, text}] = name
	}
}

// secrets is what the placeholders of a template stand for in the question, nil when that cannot be told.
func (q *question) secrets(o Options, t *template) []string {
	if q.filler == nil {
		if q.sent == "" {
			q.sent = o.filledText(q.api, q.plain)
		}
		q.filler, q.fillings = newFiller(q.sent), map[*template][]string{}
	}
	texts, known := q.fillings[t]
	if !known {
		_, texts = q.filler.fit(t)
		q.fillings[t] = texts
	}
	return texts
}

// consistent narrows those that may answer a question to the exchanges whose placeholders can stand for its secrets: equal ones for equal
// secrets, and as they did before.
func (ix *Index) consistent(q *question) func(*entry) bool {
	return func(e *entry) bool {
		if !q.mayTake(e) {
			return false
		}
		t := ix.templateFor(e, q)
		if t == nil {
			return true
		}
		texts := q.secrets(ix.opts, t)
		for i, text := range texts {
			if !ix.bound.agree(e.x.Session, t.names[i], text) {
				return false
			}
		}
		return texts != nil
	}
}

// bind notes what the placeholders of an exchange that answers stand for.
func (ix *Index) bind(e *entry, q *question) {
	if t := ix.templateFor(e, q); t != nil {
		for i, text := range q.secrets(ix.opts, t) {
			ix.bound.add(e.x.Session, t.names[i], text)
		}
	}
}

// templateFor returns the template of an exchange; nil when it has none, or when the question was not read.
func (ix *Index) templateFor(e *entry, q *question) *template {
	if r := ix.readings[e.content()]; r != nil && q.body != nil {
		return r.template
	}
	return nil
}
