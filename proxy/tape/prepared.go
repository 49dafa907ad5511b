package tape

import (
	"context"
	"database/sql"
	"sync"
)

// preparedLimit is how many statements are kept. Those that look up one thing by its key are a handful; queries that people put together
// come in any number.
const preparedLimit = 32

// prepared is a pool of connections that keeps the statements it is asked for: to look up a body takes about as long as to compile the
// statement that does.
type prepared struct {
	*sql.DB

	mu         sync.Mutex // guards statements
	statements map[string]*sql.Stmt
}

func newPrepared(db *sql.DB) *prepared { return &prepared{DB: db, statements: map[string]*sql.Stmt{}} }

// statement returns the statement of a text; nil when it is not kept. It is closed with the pool.
func (p *prepared) statement(ctx context.Context, text string) *sql.Stmt {
	p.mu.Lock()
	s, full := p.statements[text], len(p.statements) >= preparedLimit
	p.mu.Unlock()
	if s != nil || full {
		return s
	}
	// Not under the lock: it waits for a connection, and who has one may wait for the lock.
	s, err := p.DB.PrepareContext(ctx, text)
	if err != nil {
		return nil // to be told by the query itself
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first := p.statements[text]; first != nil {
		_ = s.Close() // somebody else was faster
		return first
	}
	p.statements[text] = s
	return s
}

// QueryRowContext is that of [sql.DB].
func (p *prepared) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if s := p.statement(ctx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return p.DB.QueryRowContext(ctx, text, args...)
}

// QueryContext is that of [sql.DB].
func (p *prepared) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := p.statement(ctx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return p.DB.QueryContext(ctx, text, args...)
}
