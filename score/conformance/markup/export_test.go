package markup

// Parse runs the parser of one family.
func (f Family) Parse(text string) []Call {
	return f.parse(text, func(string, string) string { return "" })
}
