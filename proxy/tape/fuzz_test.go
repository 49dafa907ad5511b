package tape

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen changes bytes of a tape: reading it gives exchanges or a clear error, and never panics.
func FuzzOpen(f *testing.F) {
	good, err := os.ReadFile(newTape(f, 4))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte("SQLite"))
	f.Add(uint32(16), []byte{0xff, 0xff})
	f.Add(uint32(68), []byte("exod"))
	for page := range len(good) / pageSize {
		f.Add(uint32(page*pageSize), []byte{0xff, 0, 1, 0xff, 0xff})
		f.Add(uint32(page*pageSize+8), []byte{0xff, 0xff, 0x80, 0x80})
		f.Add(uint32((page+1)*pageSize-40), []byte{0x80, 0x80, 0x80, 0xff, 0xff, 0xff, 0xff})
	}
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		data := append([]byte(nil), good...)
		copy(data[int(at)%len(data):], change)
		path := filepath.Join(t.TempDir(), "changed.tape")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(t, path); err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Path != path {
				t.Errorf("the error does not say which tape: %v", err)
			}
		}
	})
}

// readAll reads all there is on a tape.
func readAll(t *testing.T, path string) error {
	tp, err := Open(t.Context(), path)
	if err != nil {
		return err
	}
	defer tp.Close()
	if _, err := tp.Sessions(t.Context()); err != nil {
		return err
	}
	for x, err := range tp.Exchanges(t.Context(), Query{}) {
		if err != nil {
			return err
		}
		x.Digest()
		for _, b := range []Body{x.Request.Body, x.Response.Body} {
			body, err := tp.Body(t.Context(), b)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, body)
			body.Close()
			if err != nil {
				return err
			}
		}
	}
	return nil
}
