package tape

// Facts are what is derived from an exchange. They live in a table of their own with a version, so that a mended
// derivation can be applied to old tapes.
type Facts struct {
	API API
	// Model is the model the request names, "" when it names none.
	Model string
	// Stream says that the response came as an event stream or as NDJSON.
	Stream bool
}
