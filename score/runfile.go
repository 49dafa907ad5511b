package score

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/exodeck/exodeck/proxy/tape"
)

// Schema is the version of the run file. Fields may be added to it without a new version; none changes its meaning.
const Schema = 1

// RunFile is the result of one scoring, and what it can be proved with.
type RunFile struct {
	// Version is that of the exodeck that scored.
	Version string
	Suite   string
	// Rules names the set of scoring rules.
	Rules string
	// Recording is the digest of the exchanges used, RulesDigest that of the rules, Data that of the questions. They are written
	// as "sha256:" and hex; Recording is empty when nothing was recorded.
	Recording, RulesDigest, Data string
	// Verdicts are in sample order, whatever the order in which they came about.
	Verdicts []Verdict
}

// DigestBytes is the digest of data as run files write it.
func DigestBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ExchangeSource finds exchanges by name; a [tape.Tape] is one.
type ExchangeSource interface {
	Exchange(ctx context.Context, ref tape.Ref) (*tape.Exchange, error)
}

// RecordingDigest is the digest of all exchanges that verdicts rest on, in sample order. It does not depend on where on a tape they
// are. It is empty when the verdicts rest on none.
func RecordingDigest(ctx context.Context, src ExchangeSource, verdicts []Verdict) (string, error) {
	var h hash.Hash
	for _, v := range verdicts {
		for _, ref := range v.Exchanges {
			x, err := src.Exchange(ctx, ref)
			if err != nil {
				return "", fmt.Errorf("digesting exchange %s/%d behind %s: %w", ref.Session, ref.Seq, v.Sample, err)
			}
			if h == nil {
				h = sha256.New()
			}
			sum := x.Digest()
			h.Write(sum[:])
		}
	}
	if h == nil {
		return "", nil
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
