package tape

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// withLog is a file system in which the tape has an empty write-ahead log when it has none. SQLite insists on one, also where it cannot make it.
type withLog struct {
	fs.FS
	log string
}

// Open implements [fs.FS].
func (w withLog) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if name == w.log && errors.Is(err, fs.ErrNotExist) {
		return emptyFile(name), nil
	}
	return f, err
}

// emptyFile is a file without content, by its name. It is its own [fs.FileInfo].
type emptyFile string

var (
	_ fs.File     = emptyFile("")
	_ io.Seeker   = emptyFile("")
	_ fs.FileInfo = emptyFile("")
)

func (f emptyFile) Stat() (fs.FileInfo, error)              { return f, nil }
func (f emptyFile) Read([]byte) (int, error)                { return 0, io.EOF }
func (f emptyFile) Seek(offset int64, _ int) (int64, error) { return offset, nil }
func (f emptyFile) Close() error                            { return nil }
func (f emptyFile) Name() string                            { return string(f) }
func (f emptyFile) Size() int64                             { return 0 }
func (f emptyFile) Mode() fs.FileMode                       { return 0o444 }
func (f emptyFile) ModTime() time.Time                      { return time.Time{} }
func (f emptyFile) IsDir() bool                             { return false }
func (f emptyFile) Sys() any                                { return nil }
