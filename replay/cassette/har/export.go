package har

import (
	"bytes"
	"context"
	"io"

	"github.com/exodeck/exodeck/replay/cassette"
)

// Export writes as an archive what [cassette.Export] would write as a cassette: the same exchanges, redacted in the same way. version is that
// of the exodeck that writes.
func Export(ctx context.Context, w io.Writer, src cassette.Source, o cassette.ExportOptions, version string) (cassette.Exported, error) {
	var text bytes.Buffer
	done, err := cassette.Export(ctx, &text, src, o)
	if err != nil {
		return done, err
	}
	c, err := cassette.Read(&text, o.Fallback)
	if err != nil {
		return done, err
	}
	return done, Write(ctx, w, c, version)
}
