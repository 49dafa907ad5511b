package tape

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// applicationID marks a SQLite file as a tape: "exod".
const applicationID = 0x65786f64

// pageSize is that of new tapes. Pages of 16 KiB waste less on bodies of a few KiB than smaller ones: with 4 KiB a tape is a quarter larger,
// and writing it takes a third more of CPU time.
const pageSize = 16384

// migrationFiles holds the schema as steps: the file of number n brings a tape from version n-1 to version n.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the texts of migrationFiles, in order.
var migrations = loadMigrations()

func loadMigrations() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.Sort(names)
	steps := make([]string, len(names))
	for i, name := range names {
		if !strings.HasPrefix(filepath.Base(name), fmt.Sprintf("%04d_", i+1)) {
			panic("migrations are not numbered from 1 without a gap: " + name)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		steps[i] = string(text)
	}
	return steps
}

// dsn returns the data source name of the file at path with the parameters of SQLite and of its driver.
func dsn(path string, params url.Values) string {
	// Only what a URI gives a meaning to is escaped, so that relative paths stay what they are.
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	return "file:" + path + "?" + params.Encode()
}

// queryer is a connection or a pool of them.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schemaVersion makes sure that db is a tape this program can read and returns the version of its schema.
func schemaVersion(ctx context.Context, db queryer) (int, error) {
	var id, version int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return 0, err
	}
	if id != applicationID {
		return 0, fmt.Errorf("%w: SQLite file of another program", ErrNotTape)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	if version > len(migrations) {
		return 0, fmt.Errorf("%w: its schema is version %d, this exodeck knows up to %d", ErrNewer, version, len(migrations))
	}
	if version < 1 {
		return 0, fmt.Errorf("%w: schema version %d", ErrDamaged, version)
	}
	return version, nil
}

// migrate brings the tape from the given version of the schema to the newest, all in one transaction.
func migrate(ctx context.Context, db *sql.DB, version int) error {
	if version == len(migrations) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for n, step := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", version+n+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}

// createTape makes an empty tape at path. It is made beside it and renamed, so a tape is there whole or not at all.
// The caller holds the lock.
func createTape(ctx context.Context, path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	temp := f.Name()
	defer func() {
		if err != nil {
			_ = os.Remove(temp)
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	if err := writeSchema(ctx, temp); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func writeSchema(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, url.Values{}))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	// One after the other: the driver sorts what the data source name has, and the first two only work on a file without content.
	for _, pragma := range []string{
		fmt.Sprintf("PRAGMA page_size = %d", pageSize),
		"PRAGMA auto_vacuum = incremental",
		"PRAGMA journal_mode = wal",
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
	} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return migrate(ctx, db, 0)
}
