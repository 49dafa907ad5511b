// Package timing tells how fast recorded answers came: the time to the first piece and to the first token, the gaps between pieces, and
// tokens per second, as exo reports them and as they arrived.
//
// Answers are grouped by model, API, mode and size of the prompt. Only whole answers without an error count; all others are counted as
// left out. Nothing is estimated: what an answer does not tell, and what cannot be told from its pieces, is absent.
//
// A table is a function of the recording: taking it again gives the same bytes.
package timing
