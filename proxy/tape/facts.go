package tape

// Facts are what is derived from an exchange. They live in a table of their own with a version. Those of an older derivation are derived
// anew whenever they are read, so a mended derivation holds for old tapes at once and reading changes none; [Merge] writes them down.
type Facts struct {
	API API
	// Model is the model the request names, "" when it names none.
	Model string
	// Stream says that the response came as an event stream or as NDJSON.
	Stream bool
}
