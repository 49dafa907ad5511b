// Package follow tells which exchanges have ended on a tape while it is being recorded.
//
// It looks at the tape as any reader does: the recorder is not asked, and need not know. One look reads what has been added since the look
// before, and the exchanges that were in flight then. Sessions that have ended are read once; how many exchanges they have does not matter.
package follow
