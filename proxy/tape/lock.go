package tape

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// A recorder holds a lock on the file that is called as the tape with ".lock" behind it, as long as it lives: the kernel
// lets go of it however the process ends. So readers can tell an exchange in flight from an interrupted one.

func lockPath(path string) string { return path + ".lock" }

// lockTape takes the lock of the tape at path. A reader that looks at the lock holds it for a moment, so a refusal is
// taken as one only after some time.
func lockTape(ctx context.Context, path string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	for {
		lock := flock.New(lockPath(path))
		ok, err := lock.TryLockContext(ctx, 20*time.Millisecond)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, &Error{Op: "recording on", Path: path, Err: ErrBusy,
				Hint: "stop the other recorder, or record on another tape"}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, noFolder("recording on", path, err)
		}
		if err != nil || !ok {
			return nil, failure("locking", lockPath(path), err)
		}
		// The recorder before removes the file as it closes: what is locked may be a file no longer there.
		if current(lock) {
			return lock, nil
		}
		if err := lock.Close(); err != nil {
			return nil, failure("locking", lockPath(path), err)
		}
	}
}

// current reports whether the locked file is the one that its path names.
func current(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(held, named)
}

// unlockTape removes the lock file and lets go of the lock. Where an open file cannot be removed, it stays and does no harm.
func unlockTape(lock *flock.Flock) error {
	_ = os.Remove(lock.Path())
	return lock.Close()
}

// recording reports whether a recorder holds the lock of the tape at path.
func recording(path string) bool {
	lock := flock.New(lockPath(path), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if err != nil {
		// Without a lock file nobody records. When it cannot be looked at, somebody may.
		return !errors.Is(err, fs.ErrNotExist)
	}
	if free {
		_ = lock.Close()
	}
	return !free
}
