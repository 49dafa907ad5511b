package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/exodeck/exodeck/proxy/record"
	"github.com/exodeck/exodeck/proxy/tape"
)

// tape checks whether the tape can be read and written, and who has it.
func (d *doctor) tape(ctx context.Context) {
	const name = "tape"
	if !exists(d.Tape) {
		if err := writableDir(filepath.Dir(d.Tape)); err != nil {
			d.add(name, Problem, fmt.Sprintf("%s is not there, and cannot be made: %v", d.Tape, err), "choose another place with --tape FILE")
			return
		}
		d.ok(name, d.Tape+" is not there yet; recording makes it")
		return
	}
	t, err := tape.Open(ctx, d.Tape)
	if err != nil {
		hint := "name another tape with --tape FILE"
		if known, ok := errors.AsType[*tape.Error](err); ok {
			err = known.Err
			if known.Hint != "" {
				hint = known.Hint
			}
		}
		d.add(name, Problem, fmt.Sprintf("%s cannot be read: %v", d.Tape, err), hint)
		return
	}
	defer t.Close()
	sessions, err := t.Sessions(ctx)
	if err != nil {
		d.add(name, Problem, fmt.Sprintf("%s cannot be read: %v", d.Tape, err), "restore it from a copy")
		return
	}
	var exchanges, lost int64
	for _, s := range sessions {
		exchanges += s.Exchanges
		lost += s.Unrecorded
	}
	detail := fmt.Sprintf("%s holds %d exchanges of %d sessions", d.Tape, exchanges, len(sessions))
	if who, held := holder(d.Tape + ".lock"); held {
		detail += "; " + who + " is recording on it"
	} else {
		detail += "; nobody is recording on it"
	}
	f, err := os.OpenFile(d.Tape, os.O_WRONLY, 0)
	if err != nil {
		d.add(name, Warning, fmt.Sprintf("%s; it cannot be written: %v", detail, err), "to record on it, change its permissions; to score it, nothing is to be done")
		return
	}
	f.Close()
	if lost > 0 {
		d.add(name, Warning, fmt.Sprintf("%s; %d exchanges went unrecorded", detail, lost), "exodeck tape stats says in which session; its log says why")
		return
	}
	d.ok(name, detail)
}

// writableDir says why no file can be made in a folder.
func writableDir(dir string) error {
	f, err := os.CreateTemp(dir, ".exodeck-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// holder reports whether the lock of a recorder is held, and by whom as far as the system tells.
func holder(lock string) (who string, held bool) {
	l := flock.New(lock, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false
	case free:
		l.Close()
		return "", false
	}
	if process := lockedBy(lock); process != "" {
		return process, true
	}
	return "another process", true
}

const (
	// scarce is the free space below which a busy recorder may soon be without any.
	scarce = 5 << 30
	// nearlyNone is what is gone within the next few exchanges.
	nearlyNone = 200 << 20
)

// disk checks how much room the tape has.
func (d *doctor) disk() {
	const name = "disk"
	dir := filepath.Dir(d.Tape)
	free, err := freeSpace(dir)
	if err != nil {
		d.add(name, Warning, fmt.Sprintf("how much room is left for %s cannot be told: %v", d.Tape, err), "see for yourself")
		return
	}
	detail := fmt.Sprintf("%.1f GB are free for %s", float64(free)/1e9, d.Tape)
	switch {
	case free < nearlyNone:
		d.add(name, Problem, detail, "free some space, or put the tape elsewhere with --tape FILE")
	case free < scarce:
		d.add(name, Warning, detail, "free some space, or put the tape elsewhere with --tape FILE")
	default:
		d.ok(name, detail)
	}
}

// state checks the folder of exodeck's own files, with the key of the fingerprints that stand for credentials on tapes.
func (d *doctor) state() {
	const name = "key"
	keys, err := filepath.Glob(filepath.Join(d.StateDir, "*.key"))
	switch {
	case d.StateDir == "":
		d.add(name, Problem, "no folder for exodeck's own files is known", "set EXODECK_HOME to one")
		return
	case err != nil || len(keys) == 0:
		d.ok(name, fmt.Sprintf("there is none in %s yet; the first recording makes it", d.StateDir))
		return
	}
	if _, err := record.LoadKey(d.StateDir); err != nil {
		d.add(name, Problem, err.Error(), "mend it, or set EXODECK_HOME to another folder")
		return
	}
	if info, err := os.Stat(keys[0]); err == nil && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		d.add(name, Warning, fmt.Sprintf("others can read %s, and so test guesses of the credentials on your tapes", keys[0]), "chmod 600 "+keys[0])
		return
	}
	d.ok(name, "in "+d.StateDir)
}
