package markup

// Parse runs the parser of one family.
func (f Family) Parse(text string, types Types) []Call { return f.parse(text, types) }
