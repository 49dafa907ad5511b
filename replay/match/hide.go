package match

import (
	"maps"
	"slices"

	"github.com/exodeck/exodeck/replay/cassette/redact"
)

// hider takes the secrets out of what a miss shows, whatever the recording holds: messages end up in logs and issue trackers. Different
// secrets get different placeholders, so that a diff shows that they differ. The rules never see what it makes.
type hider struct{ *redact.Redactor }

func newHider() hider { return hider{redact.New(redact.Rules{})} }

// labels returns labels without secrets.
func (h hider) labels(labels map[string]string) map[string]string {
	out := maps.Clone(labels)
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		out[name] = h.Label(name, labels[name])
	}
	return out
}
