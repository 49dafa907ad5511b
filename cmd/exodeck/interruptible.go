package main

import (
	"context"
	"io"
)

// interruptible returns a reader of r that fails when ctx is done, even while a Read of r waits: that of a terminal or of a pipe
// cannot be broken off.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	pr, pw := io.Pipe()
	context.AfterFunc(ctx, func() { pw.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(pw, r)
		pw.CloseWithError(err) // io.EOF when it is nil
	}()
	return pr
}
