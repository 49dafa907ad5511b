package tape

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// newTape records n exchanges on a new tape and returns its path. Every second one is answered with an event stream.
func newTape(t testing.TB, n int) string {
	t.Helper()
	path, r, s := openTest(t, RecorderOptions{})
	for i := range n {
		recordOne(s, i)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func recordOne(s *SessionRecorder, i int) *Recording {
	start := post(fmt.Sprint("sample-", i))
	start.Started = day.Add(time.Duration(i) * time.Second)
	x := s.Begin(start)
	x.RequestBody(fmt.Appendf(nil, `{"messages":["%d"],"model":"model-%d"}`, i, i%3))
	x.RequestEnd(nil)
	kind := "application/json"
	if i%2 == 1 {
		kind = "text/event-stream"
	}
	x.ResponseHead(200, "", true, "HTTP/1.1", http.Header{"Content-Type": {kind}}, time.Millisecond)
	x.ResponseBody(bytes.Repeat(fmt.Appendf(nil, "data: %d\n\n", i), 50), time.Millisecond)
	ended := Complete
	if i%4 == 3 {
		ended = UpstreamTruncated
	}
	x.End(ended, "", nil, 2*time.Millisecond)
	return x
}

// killedTape leaves a tape with n exchanges and one in flight as a recorder that was killed does.
func killedTape(t testing.TB, n int) string {
	t.Helper()
	return killedBy(t, func(s *SessionRecorder) {
		for i := range n {
			recordOne(s, i)
		}
		s.Begin(post("in flight")).RequestEnd(nil)
	})
}

// killedBy leaves a tape as a recorder that was killed after f does: with what was written last beside it, and no lock.
func killedBy(t testing.TB, f func(s *SessionRecorder)) string {
	t.Helper()
	path, r, s := openTest(t, RecorderOptions{})
	f(s)
	if err := r.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "killed.tape"+suffix), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "killed.tape")
}

func TestOpenErrors(t *testing.T) {
	good, err := os.ReadFile(newTape(t, 40))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", dsn(other, url.Values{"_pragma": {"journal_mode(wal)"}}))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, db, `CREATE TABLE exchanges (id)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(good)
	newer[63] = 200 // the user version
	tests := []struct {
		name    string
		content []byte // nil: a folder
		is      error
		says    string
	}{
		{"text", []byte("no tape at all, but some text that is longer than the header of a SQLite file has to be, which is 100 bytes"), ErrNotTape, "name a file made by exodeck record"},
		{"short", []byte("short"), ErrNotTape, "name a file made by exodeck record"},
		{"empty", []byte{}, ErrNotTape, "the file is empty"},
		{"folder", nil, ErrNotTape, "it is a folder"},
		{"other program", foreign, ErrNotTape, "SQLite file of another program"},
		{"newer", newer, ErrNewer, "its schema is version 200, this exodeck knows up to 2"},
		{"truncated", good[:len(good)/2], ErrDamaged, "restore it from a copy"},
		{"cut in the header", good[:50], ErrNotTape, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file.tape")
			if test.content == nil {
				if err := os.Mkdir(path, 0o700); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(path, test.content, 0o600); err != nil {
				t.Fatal(err)
			}
			check := func(how string, err error) {
				t.Helper()
				var e *Error
				if !errors.Is(err, test.is) || !errors.As(err, &e) || e.Path == "" || e.Hint == "" {
					t.Errorf("%s: %v, want %v with a path and a hint", how, err, test.is)
					return
				}
				if !strings.Contains(err.Error(), test.says) {
					t.Errorf("%s: %q does not say %q", how, err, test.says)
				}
			}
			tp, err := Open(t.Context(), path)
			if err == nil {
				tp.Close()
			}
			check("Open", err)
			_, err = OpenFS(t.Context(), os.DirFS(dir), "file.tape")
			check("OpenFS", err)
			_, err = OpenRecorder(t.Context(), path, RecorderOptions{})
			check("OpenRecorder", err)
			if test.content != nil {
				if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, test.content) {
					t.Errorf("the file was changed (%v)", err)
				}
			}
			if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
				t.Errorf("files were left behind: %v, %v", names, err)
			}
		})
	}
}

// TestForeignLog has a file of another program, with a write-ahead log that is not yet folded in: that is left to its owner.
func TestForeignLog(t *testing.T) {
	path := killedTape(t, 1)
	execute(t, rawDB(t, path), `PRAGMA application_id = 7`) // which adds to the log
	other := filepath.Join(t.TempDir(), "other.db")
	before := make(map[string][]byte)
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		before[suffix] = data
		if err := os.WriteFile(other+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenRecorder(t.Context(), other, RecorderOptions{}); !errors.Is(err, ErrNotTape) {
		t.Errorf("recording on it: %v", err)
	}
	if _, err := Open(t.Context(), other); !errors.Is(err, ErrNotTape) {
		t.Errorf("reading it: %v", err)
	}
	for suffix, want := range before {
		if now, err := os.ReadFile(other + suffix); err != nil || !bytes.Equal(now, want) {
			t.Errorf("the file %q was changed (%v)", suffix, err)
		}
	}
}

func TestReadOnlyDisk(t *testing.T) {
	var e *Error
	if err := failure("locking", "a.tape.lock", &fs.PathError{Op: "open", Path: "a.tape.lock", Err: syscall.EROFS}); !errors.As(err, &e) || !strings.Contains(e.Hint, "can be written") {
		t.Errorf("%v", err)
	}
}

func TestOpenMissing(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none.tape"), filepath.Join(dir, "no", "folder", "none.tape")} {
		_, err := Open(t.Context(), path)
		var e *Error
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || !strings.Contains(e.Hint, "check the path") {
			t.Errorf("Open: %v", err)
		}
	}
	var e *Error
	_, err := OpenRecorder(t.Context(), filepath.Join(dir, "no", "folder", "new.tape"), RecorderOptions{})
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || !strings.Contains(e.Hint, "make the folder "+filepath.Join(dir, "no", "folder")+" first") {
		t.Errorf("OpenRecorder: %v", err)
	}
	if _, err := OpenFS(t.Context(), os.DirFS(dir), "none.tape"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenFS: %v", err)
	}
	if _, err := OpenRecorder(t.Context(), filepath.Join(dir, "no", "folder", "none.tape"), RecorderOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenRecorder: %v", err)
	}
}

// TestOddPaths uses characters that mean something in the URI that SQLite is given.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a?b=c.tape", "a#b.tape", "a%20b.tape", "a b&c.tape", "ä.tape", "file:x.tape"} {
		t.Chdir(t.TempDir())
		r, err := OpenRecorder(t.Context(), name, RecorderOptions{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		s, err := r.StartSession(t.Context(), Session{})
		if err != nil {
			t.Fatal(err)
		}
		recordOne(s, 1)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if names, err := os.ReadDir("."); err != nil || len(names) != 1 || names[0].Name() != name {
			t.Errorf("%q: the folder has %v, %v", name, names, err)
		}
		tp := openTape(t, name)
		if n := len(all(t, tp, Query{})); n != 1 {
			t.Errorf("%q: %d exchanges", name, n)
		}
		if err := tp.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenFS reads a tape out of a file system that is none of the machine's, also one with a write-ahead log beside it.
func TestOpenFS(t *testing.T) {
	closed, killed := newTape(t, 5), killedTape(t, 5)
	fsys := fstest.MapFS{}
	for name, path := range map[string]string{"tapes/closed.tape": closed, "tapes/killed.tape": killed, "tapes/killed.tape-wal": killed + "-wal"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: data}
	}
	for name, want := range map[string]int{"tapes/closed.tape": 5, "tapes/killed.tape": 6} {
		tp, err := OpenFS(t.Context(), fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		found := all(t, tp, Query{})
		if len(found) != want {
			t.Errorf("%s: %d exchanges, want %d", name, len(found), want)
		}
		for _, x := range found {
			readBody(t, tp, x.Response.Body)
		}
		if last := found[len(found)-1]; want == 6 && last.Ended != Interrupted {
			t.Errorf("%s: the last exchange is %q", name, last.Ended)
		}
		if err := tp.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestKilledUntouched reads a tape that a killed recorder left: nothing of it changes.
func TestKilledUntouched(t *testing.T) {
	path := killedTape(t, 5)
	wal, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	tp := openTape(t, path)
	if n := len(all(t, tp, Query{})); n != 6 {
		t.Errorf("%d exchanges, want 6", n)
	}
	if err := tp.Close(); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(now, wal) {
		t.Errorf("reading changed the write-ahead log (%v)", err)
	}
}

// TestMigrations opens a tape that lacks a migration.
func TestMigrations(t *testing.T) {
	path := newTape(t, 3)
	db := rawDB(t, path)
	// A tape of the version before: what the newest migration adds is not there yet.
	restore := migrations
	migrations = append(migrations[:len(migrations):len(migrations)], `ALTER TABLE sessions ADD COLUMN extra TEXT NOT NULL DEFAULT 'added'`)
	t.Cleanup(func() { migrations = restore })
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := Open(t.Context(), path); !errors.Is(err, ErrOlder) || !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("reading an older tape: %v", err)
	}
	r, err := OpenRecorder(t.Context(), path, RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	tp := openTape(t, path)
	if n := len(all(t, tp, Query{})); n != 3 {
		t.Errorf("%d exchanges after the migration", n)
	}
	db = rawDB(t, path)
	if got := column(t, db, `SELECT extra || (SELECT user_version FROM pragma_user_version) FROM sessions`); len(got) != 1 || got[0] != "added3" {
		t.Errorf("after the migration: %v", got)
	}
	// One that fails leaves the tape as it was.
	migrations = append(migrations, `ALTER TABLE sessions ADD COLUMN more TEXT; CREATE TABLE sessions (id)`)
	if _, err := OpenRecorder(t.Context(), path, RecorderOptions{}); err == nil || !strings.Contains(err.Error(), "bringing the schema to version 4") {
		t.Errorf("a migration that fails: %v", err)
	}
	if got := column(t, db, `SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'more'`); got[0] != "0" {
		t.Error("a migration that failed left half of its work")
	}
}

func TestNewTapeSettings(t *testing.T) {
	db := rawDB(t, newTape(t, 1))
	for pragma, want := range map[string]string{
		"application_id": fmt.Sprint(applicationID), "user_version": fmt.Sprint(len(migrations)), "auto_vacuum": "2",
		"journal_mode": "wal", "page_size": fmt.Sprint(pageSize),
	} {
		if got := column(t, db, "PRAGMA "+pragma); got[0] != want {
			t.Errorf("%s is %s, want %s", pragma, got[0], want)
		}
	}
}
