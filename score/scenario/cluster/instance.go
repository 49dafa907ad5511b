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
	// cleanupTimeout bounds the deletion of an instance after the run itself was interrupted.
	cleanupTimeout = 10 * time.Second
)

// Plan is a model and where it shall run.
type Plan struct {
	Model     Model
	Placement Placement
	// Reused means that the instance is there already. It will not be deleted.
	Reused bool

	options  Options
	deadline time.Time
}

// Plan finds the model and a place for it, or an instance that runs already.
func (c *Client) Plan(ctx context.Context, o Options) (*Plan, error) {
	model, err := c.Resolve(ctx, o.Model, o.ForceDownload)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Model: model, options: o, deadline: c.now().Add(o.SettleTimeout)}
	if o.ReuseInstance {
		if plan.Placement, plan.Reused, err = c.running(ctx, model.ID); plan.Reused || err != nil {
			return plan, err
		}
	}
	plan.Placement, err = c.Place(ctx, model.ID, o, plan.deadline)
	return plan, err
}

// PrepareDownloads is [Client.Prepare] for a plan. A reused instance needs nothing.
func (c *Client) PrepareDownloads(ctx context.Context, plan *Plan) error {
	if plan.Reused {
		return nil
	}
	return c.Prepare(ctx, plan.Model.ID, plan.Placement, plan.options, plan.deadline)
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
	id := plan.Placement.InstanceID()
	if !plan.Reused {
		body := pyvalue.DictOf("instance", plan.Placement.instance)
		if _, err := c.call(ctx, http.MethodPost, "/instance", body); err != nil {
			if ctx.Err() != nil {
				// The request may have arrived.
				err = errors.Join(err, c.cleanUp(ctx, id, true))
			}
			return err
		}
	}
	started := false
	if !plan.Reused {
		defer func() {
			if failed := c.cleanUp(ctx, id, started || ctx.Err() != nil); failed != nil {
				err = errors.Join(err, failed)
			}
		}()
	}
	if err := c.awaitReady(ctx, id); err != nil {
		return &StartError{err}
	}
	started = true
	if err := c.sleep(ctx, settlePause); err != nil {
		return err
	}
	snapshot, err := c.Snapshot(ctx)
	if err != nil {
		return err
	}
	return use(ctx, snapshot)
}

// awaitReady waits until every runner of the instance is ready.
func (c *Client) awaitReady(ctx context.Context, id string) error {
	deadline := c.now().Add(readyTimeout)
	seen := false
	for {
		instance, err := c.state(ctx, "instances", id)
		if err != nil {
			return err
		}
		if instance == nil && seen {
			return failure("Instance %s was deleted (runner may have failed)", id)
		}
		if instance != nil {
			seen = true
			ready, err := c.ready(ctx, instance)
			if ready || err != nil {
				return err
			}
		}
		if !c.now().Before(deadline) {
			return failure("Instance %s did not become ready within timeout=%.1f", id, readyTimeout.Seconds())
		}
		if err := c.sleep(ctx, readyPoll); err != nil {
			return err
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

// cleanUp deletes an instance and waits until it is gone, also when ctx has ended. Of an instance that never came up it is not
// awaited, and that it cannot be deleted is only logged: why it did not come up matters more.
func (c *Client) cleanUp(ctx context.Context, id string, await bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	err := c.delete(ctx, id)
	switch {
	case !await && err != nil:
		c.log(slog.LevelWarn, "Instance %s could not be deleted: %v", id, err)
		return nil
	case err != nil:
		return fmt.Errorf("deleting the instance %s: %w", id, err)
	case !await:
		return nil
	}
	deadline := c.now().Add(goneTimeout)
	for {
		_, err := c.call(ctx, http.MethodGet, "/instance/"+escapePath(id), nil)
		switch {
		case isNotFound(err):
			return nil
		case err != nil:
			return fmt.Errorf("waiting for the instance %s to be gone: %w", id, err)
		case !c.now().Before(deadline):
			return failure("Instance %s did not get deleted within timeout=%.1f", id, goneTimeout.Seconds())
		}
		if err := c.sleep(ctx, gonePoll); err != nil {
			return err
		}
	}
}

// delete deletes an instance; that it is not there is fine.
func (c *Client) delete(ctx context.Context, id string) error {
	_, err := c.call(ctx, http.MethodDelete, "/instance/"+escapePath(id), nil)
	if isNotFound(err) {
		return nil
	}
	return err
}
