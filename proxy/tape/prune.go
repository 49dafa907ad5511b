package tape

// Pruned says what has been removed from a tape.
type Pruned struct {
	Exchanges int64
	// Sessions is how many had no other exchanges and went with them.
	Sessions int64
	// StoredBytes is what the bodies took that nothing refers to any more.
	StoredBytes int64
}
