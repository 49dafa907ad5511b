package cluster

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Both leaves a choice of [Options] open.
const Both = "both"

// Options choose how the model is placed.
type Options struct {
	// Model is a short name or a Hugging Face id.
	Model         string
	ForceDownload bool
	// MinNodes and MaxNodes bound the number of nodes.
	MinNodes, MaxNodes int
	// Meta is "ring", "jaccl" or [Both], Sharding "pipeline", "tensor" or [Both].
	Meta, Sharding string
	// SkipPipelineJaccl and SkipTensorRing leave out a combination; they act only while both choices are open.
	SkipPipelineJaccl, SkipTensorRing bool
	// SettleTimeout is how long to wait for a placement, and for disk information, of a cluster that is still coming up.
	SettleTimeout time.Duration
	// DeleteDownloads allows deleting other models' files, smallest first, when the disk is too small.
	DeleteDownloads bool
	// ReuseInstance takes a running instance of the model when there is one.
	ReuseInstance bool
}

// DefaultOptions are those of exo's evaluator.
func DefaultOptions() Options {
	return Options{MinNodes: 1, MaxNodes: 4, Meta: Both, Sharding: Both, SettleTimeout: time.Minute}
}

// ErrNoPlacement means that exo offers no placement that the options allow.
var ErrNoPlacement error = failure("No valid placements matched your filters.")

// Placement is where an instance of a model shall run.
type Placement struct {
	// Sharding and Meta are as exo names them: "Pipeline", "MlxRing".
	Sharding, Meta string
	// Nodes are the ids of the nodes.
	Nodes []string
	// instance is what exo wants back to create it.
	instance pyvalue.Value
}

// String implements [fmt.Stringer] as headers show it.
func (p Placement) String() string {
	return fmt.Sprintf("%s / %s / %d nodes", p.Sharding, p.Meta, len(p.Nodes))
}

// InstanceID is the id exo has given the instance.
func (p Placement) InstanceID() string {
	_, content := variant(p.instance)
	return text(content, "instanceId")
}

// assignments are the parts of the instance that say which runner works on which node and shard.
func (p Placement) assignments() pyvalue.Value {
	_, content := variant(p.instance)
	return field(content, "shardAssignments")
}

// shard is the part of the model that a node gets.
func (p Placement) shard(node string) pyvalue.Value {
	a := p.assignments()
	return field(a, "runnerToShard", text(a, "nodeToRunner", node))
}

// Place chooses a placement for a model. It asks again until deadline while exo offers none.
func (c *Client) Place(ctx context.Context, modelID string, o Options, deadline time.Time) (Placement, error) {
	var wait backoff
	for {
		answer, err := c.call(ctx, http.MethodGet, "/instance/previews?model_id="+url.QueryEscape(modelID), nil)
		if err != nil {
			return Placement{}, err
		}
		if offers := o.choose(items(answer, "previews")); len(offers) > 0 {
			return offers[0], nil
		}
		left := deadline.Sub(c.now())
		if left <= 0 {
			return Placement{}, ErrNoPlacement
		}
		delay := wait.next()
		c.log(slog.LevelWarn, "No valid placements yet (cluster may still be settling). Retrying in %.1fs (%.0fs remaining)...",
			delay.Seconds(), left.Seconds())
		if err := c.wait(ctx, min(delay, left)); err != nil {
			return Placement{}, fmt.Errorf("waiting for a placement of %s: %w", modelID, err)
		}
	}
}

// choose returns the placements that the options allow, the best first.
func (o Options) choose(previews []pyvalue.Value) []Placement {
	var offers []Placement
	for _, preview := range previews {
		p := Placement{
			Sharding: text(preview, "sharding"),
			Meta:     text(preview, "instance_meta"),
			instance: field(preview, "instance"),
		}
		if _, isObject := p.instance.(*pyvalue.Dict); !isObject || pyvalue.Truth(orNone(field(preview, "error"))) {
			continue
		}
		p.Nodes = keys(p.assignments(), "nodeToRunner")
		if o.allows(p) {
			offers = append(offers, p)
		}
	}
	slices.SortStableFunc(offers, func(a, b Placement) int {
		return cmp.Or(cmp.Compare(a.priority(), b.priority()), cmp.Compare(len(b.Nodes), len(a.Nodes)))
	})
	return offers
}

func (o Options) allows(p Placement) bool {
	if !fits(o.Meta, p.Meta, "ring", "jaccl") || !fits(o.Sharding, p.Sharding, "pipeline", "tensor") {
		return false
	}
	tensor, jaccl := p.is("tensor"), p.is("jaccl")
	// On one node the two choices make no difference, so one of each is enough.
	if len(p.Nodes) == 1 && (o.Sharding == Both && tensor || o.Meta == Both && jaccl) {
		return false
	}
	if o.Meta == Both && o.Sharding == Both {
		if o.SkipPipelineJaccl && p.is("pipeline") && jaccl || o.SkipTensorRing && tensor && p.is("ring") {
			return false
		}
	}
	return o.MinNodes <= len(p.Nodes) && len(p.Nodes) <= o.MaxNodes
}

// is reports whether the placement's sharding or meta is of the given kind.
func (p Placement) is(kind string) bool {
	return strings.Contains(strings.ToLower(p.Sharding+" "+p.Meta), kind)
}

// fits reports whether a name is of the wanted kind, or of any of the kinds when the choice is open.
func fits(want, name string, kinds ...string) bool {
	if want != Both {
		kinds = []string{want}
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(name, kind) })
}

// priority orders placements, the lowest first.
func (p Placement) priority() int {
	tensor, pipeline, jaccl, ring := p.is("tensor"), p.is("pipeline"), p.is("jaccl"), p.is("ring")
	switch {
	case len(p.Nodes) == 1:
		return 1
	case tensor && jaccl:
		return 0
	case pipeline && jaccl:
		return 2
	case pipeline && ring:
		return 3
	case tensor && ring:
		return 4
	default:
		return 99
	}
}

func orNone(v pyvalue.Value) pyvalue.Value {
	if v == nil {
		return pyvalue.None{}
	}
	return v
}
