package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// How long things may take, and how often they are looked at.
const (
	readyTimeout = 24000 * time.Second
	readyPoll    = 100 * time.Millisecond
	goneTimeout  = 3 * time.Second
	gonePoll     = 400 * time.Millisecond
	settlePause  = time.Second // between readiness and the first question
	// removeTimeout bounds all of a deletion, since nothing interrupts it.
	removeTimeout = 10 * time.Second
)

// Plan is a model and where it shall run.
type Plan struct {
	Model     string // its full id, by which requests name it
	Placement Placement
	// Reused means that the instance is there already. It will not be deleted.
	Reused bool

	options  Options
	deadline time.Time
}

// Plan finds the model and a place for it, or an instance that runs already.
func (c *Client) Plan(ctx context.Context, o Options) (*Plan, error) {
	model, err := c.resolve(ctx, o.Model, o.ForceDownload)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Model: model, options: o, deadline: c.now().Add(o.SettleTimeout)}
	if o.ReuseInstance {
		if plan.Placement, plan.Reused, err = c.running(ctx, model); plan.Reused || err != nil {
			return plan, err
		}
	}
	plan.Placement, err = c.Place(ctx, model, o, plan.deadline)
	return plan, err
}

// PrepareDownloads is [Client.Prepare] for a plan. A reused instance needs nothing.
func (c *Client) PrepareDownloads(ctx context.Context, plan *Plan) error {
	if plan.Reused {
		return nil
	}
	return c.Prepare(ctx, plan.Model, plan.Placement, plan.options, plan.deadline)
}

// running finds an instance of the model.
func (c *Client) running(ctx context.Context, modelID string) (Placement, bool, error) {
	instances, err := c.state(ctx, "instances")
	if err != nil {
		return Placement{}, false, err
	}
	for _, id := range keys(instances) {
		p := Placement{instance: field(instances, id)}
		if text(p.assignments(), "modelId") != modelID {
			continue
		}
		p.Nodes = keys(p.assignments(), "nodeToRunner")
		kind, _ := variant(p.instance)
		p.Meta = strings.TrimSuffix(kind, "Instance")
		for _, node := range p.Nodes {
			kind, _ := variant(p.shard(node))
			p.Sharding = strings.TrimSuffix(kind, "ShardMetadata")
		}
		return p, true, nil
	}
	return Placement{}, false, nil
}

// Use brings the planned instance up, calls use with a snapshot of the cluster, and deletes the instance again: after success and
// failure, after a panic, and also when ctx has ended. It returns the errors of use and of the deletion.
func (c *Client) Use(ctx context.Context, plan *Plan, use func(ctx context.Context, cluster *pyvalue.Dict) error) (err error) {
	in := &instance{client: c, id: plan.Placement.InstanceID()}
	if !plan.Reused {
		_, err = c.call(ctx, http.MethodPost, "/instance", pyvalue.DictOf("instance", plan.Placement.instance))
		if answer, ok := errors.AsType[*HTTPError](err); ok && answer.Status < 500 {
			return err // refused
		}
		defer in.remove(ctx, &err)
		if err != nil {
			return err // the request may have arrived all the same, also when a gateway gave up waiting for the answer to it
		}
	}
	if err := in.awaitReady(ctx); err != nil {
		return &StartError{err}
	}
	if err := c.sleep(ctx, settlePause); err != nil {
		return err
	}
	snapshot, err := c.Snapshot(ctx)
	if err != nil {
		return err
	}
	return use(ctx, snapshot)
}

// instance is an instance that was asked for.
type instance struct {
	client *Client
	id     string
	seen   bool // it has shown up in the state: commands take effect only after a while
	ready  bool
}

// awaitReady waits until every runner of the instance is ready.
func (in *instance) awaitReady(ctx context.Context) error {
	c := in.client
	deadline := c.now().Add(readyTimeout)
	for {
		state, err := c.state(ctx, "instances", in.id)
		if err != nil {
			return err
		}
		if state == nil && in.seen {
			return failure("Instance %s was deleted (runner may have failed)", in.id)
		}
		if state != nil {
			in.seen = true
			if in.ready, err = c.ready(ctx, state); in.ready || err != nil {
				return err
			}
		}
		if !c.now().Before(deadline) {
			return failure("Instance %s did not become ready within timeout=%.1f", in.id, readyTimeout.Seconds())
		}
		if err := c.wait(ctx, readyPoll); err != nil {
			return fmt.Errorf("waiting for the runners of instance %s: %w", in.id, err)
		}
	}
}

// ready reports whether all runners of an instance are ready.
func (c *Client) ready(ctx context.Context, instance pyvalue.Value) (bool, error) {
	_, content := variant(instance)
	runners := keys(content, "shardAssignments", "runnerToShard")
	ready := len(runners) > 0
	for _, id := range runners {
		runner, err := c.state(ctx, "runners", id)
		if err != nil {
			return false, err
		}
		switch kind, state := variant(runner); kind {
		case "RunnerReady", "RunnerRunning":
		case "RunnerFailed":
			message := text(state, "errorMessage")
			if message == "" {
				message = "Unknown error"
			}
			return false, failure("Runner %s failed: %s", id, message)
		case "RunnerLoading":
			c.log(slog.LevelDebug, "Runner %s: loading layers %.0f/%.0f", id, number(state, "layersLoaded"), number(state, "totalLayers"))
			ready = false
		default:
			ready = false
		}
	}
	return ready, nil
}

// Snapshot notes what the cluster looks like: what exo tells of its nodes, without what is empty.
func (c *Client) Snapshot(ctx context.Context) (*pyvalue.Dict, error) {
	snapshot := pyvalue.NewDict()
	for _, name := range []string{"nodeIdentities", "topology", "nodeMemory", "nodeSystem"} {
		value, err := c.state(ctx, name)
		if err != nil {
			return nil, err
		}
		if value != nil && pyvalue.Truth(value) {
			snapshot.SetStr(name, value)
		}
	}
	return snapshot, nil
}

// remove deletes the instance and waits until it is gone, also when ctx has ended, and joins what goes wrong to err. Of an instance
// that never became ready it is only logged: why it did not matters more.
func (in *instance) remove(ctx context.Context, err *error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	failed := in.delete(ctx)
	if failed == nil {
		failed = in.await(ctx, false)
	}
	switch {
	case failed == nil:
	case in.ready:
		*err = errors.Join(*err, failed)
	default:
		in.client.log(slog.LevelWarn, "%v", failed)
	}
}

// delete deletes the instance. One that was never seen may still be on its way, so it is waited for first.
func (in *instance) delete(ctx context.Context) error {
	if !in.seen {
		if err := in.await(ctx, true); err != nil {
			return err
		}
	}
	_, err := in.client.call(ctx, http.MethodDelete, "/instance/"+escapePath(in.id), nil)
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("deleting the instance %s: %w", in.id, err)
	}
	return nil
}

// await waits until exo knows the instance, or no longer knows it. An instance that stays is an error, one that never comes is not.
func (in *instance) await(ctx context.Context, there bool) error {
	c := in.client
	deadline := c.now().Add(goneTimeout)
	for {
		_, err := c.call(ctx, http.MethodGet, "/instance/"+escapePath(in.id), nil)
		switch {
		case err != nil && !isNotFound(err):
			return fmt.Errorf("looking for the instance %s: %w", in.id, err)
		case there == (err == nil):
			return nil
		case !c.now().Before(deadline) && there:
			return nil
		case !c.now().Before(deadline):
			return failure("Instance %s did not get deleted within timeout=%.1f", in.id, goneTimeout.Seconds())
		}
		if err := c.sleep(ctx, gonePoll); err != nil {
			return err
		}
	}
}
