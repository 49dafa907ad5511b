package redact

import (
	"bytes"
	"compress/gzip"
	"io"
)

// gzipMark is what a file of gzip begins with. No text in UTF-8 holds it.
var gzipMark = []byte("\x1f\x8b\x08")

const (
	// maxUnpacked bounds what one file of gzip is unpacked to.
	maxUnpacked = 64 << 20
	// For each text that is searched, maxUnspent bytes are unpacked in all, and ratio times as much as there is text: a text full of bombs
	// costs some tenths of a second and not much more than it would if it were written out. It is a matter of the text alone. If what was
	// searched before took something away from it, a request would be redacted otherwise when it is asked than when it was recorded, and a
	// harmless file would be lost because of others.
	maxUnspent = 16 << 20
	ratio      = 32
)

// allow says that a text is about to be searched, so that what it packs may be unpacked.
func (r *Redactor) allow(text []byte) { r.unspent = maxUnspent + ratio*len(text) }

// packed returns the changes for what gzip has packed inside of b. Nobody can pack it again so that it is what it was, so that a
// placeholder takes the place of a file that holds a secret, and of one that unpacks to so much that it cannot be searched.
func (r *Redactor) packed(b []byte, depth int) []edit {
	var edits []edit
	for at := 0; ; {
		i := bytes.Index(b[at:], gzipMark)
		if i < 0 {
			return edits
		}
		start := at + i
		plain, size, whole := unpack(b[start:], min(maxUnpacked, r.unspent))
		r.unspent = max(0, r.unspent-len(plain))
		var inner []edit
		if whole {
			inner = r.edits(plain, depth)
		}
		if len(inner) == 0 && whole {
			at = start + max(size, len(gzipMark))
			continue
		}
		end := start + size
		e := edit{start: start, end: end, kind: "gzip", via: []string{"too large to search"}}
		if len(inner) > 0 {
			e.kind, e.value, e.via = inner[0].kind, inner[0].value, append([]string{"gzip"}, inner[0].via...)
		}
		file := bytes.Clone(b[start:end])
		e.text = func() []byte {
			for _, secret := range inner {
				secret.text() // which may stand elsewhere too
			}
			r.files[string(file)] = true
			return r.replace("gzip", file)
		}
		edits = append(edits, e)
		at = end
	}
}

// unpack returns what the file of gzip at the start of b holds, as far as it can be read, and the length of the file. It reports
// false when that is more than most bytes.
func unpack(b []byte, most int) (plain []byte, size int, whole bool) {
	in := bytes.NewReader(b)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, 0, true
	}
	z.Multistream(false)
	plain, _ = io.ReadAll(io.LimitReader(z, int64(most)+1)) // to the end, or to where it is broken
	if len(plain) > most {
		return plain, len(b), false
	}
	return plain, len(b) - in.Len(), true
}
