package cluster

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// downloadPoll is how often downloads are looked at.
const downloadPoll = 10 * time.Second

// Download is how a download gets on.
type Download struct {
	Node, Model       string
	Downloaded, Total int64
	// Speed is in bytes a second, ETA 0 when unknown.
	Speed             float64
	ETA               time.Duration
	Files, TotalFiles int
}

// String is the line exo's evaluator logs.
func (d Download) String() string {
	percent := 0.0
	if d.Total > 0 {
		percent = 100 * float64(d.Downloaded) / float64(d.Total)
	}
	return fmt.Sprintf("Downloading on %s: %.1f%% @ %.1f MB/s, ETA %.0fs (%d/%d files)",
		d.Node, percent, d.Speed/(1<<20), d.ETA.Seconds(), d.Files, d.TotalFiles)
}

// Prepare sees to it that the placement's nodes have the model: that there is room for it, and that it is downloaded. It waits for
// disk information until deadline, and for downloads as long as they take.
func (c *Client) Prepare(ctx context.Context, modelID string, p Placement, o Options, deadline time.Time) error {
	size, err := c.size(ctx, modelID)
	if err != nil {
		return err
	}
	if size == 0 {
		c.log(slog.LevelWarn, "Could not determine size for %s, skipping disk check", modelID)
		return nil
	}
	for _, node := range p.Nodes {
		if err := c.makeRoom(ctx, node, modelID, size, o, deadline); err != nil {
			return err
		}
	}
	for _, node := range p.Nodes {
		body := pyvalue.DictOf("targetNodeId", pyvalue.Str(node), "shardMetadata", orNone(p.shard(node)))
		if _, err := c.call(ctx, http.MethodPost, "/download/start", body); err != nil {
			return err
		}
		c.log(slog.LevelInfo, "Started download on %s", node)
	}
	for {
		done, err := c.downloaded(ctx, modelID, p.Nodes)
		if done || err != nil {
			return err
		}
		if err := c.wait(ctx, downloadPoll); err != nil {
			return fmt.Errorf("waiting for the download of %s: %w", modelID, err)
		}
	}
}

// makeRoom checks that a node's disk can take the model.
func (c *Client) makeRoom(ctx context.Context, node, modelID string, size int64, o Options, deadline time.Time) error {
	downloads, err := c.state(ctx, "downloads", node)
	if err != nil {
		return err
	}
	for _, entry := range items(downloads) {
		if kind, content := variant(entry); kind == "DownloadCompleted" && modelOf(content) == modelID {
			return nil
		}
	}
	available, known, err := c.available(ctx, node, deadline)
	switch {
	case err != nil:
		return err
	case !known:
		c.log(slog.LevelWarn, "No disk info for %s, skipping space check", node)
		return nil
	case available >= size:
		return nil
	case !o.DeleteDownloads:
		return failure("Insufficient disk on %s: need %dGB, have %dGB. Use --danger-delete-downloads to free space.",
			node, size>>30, available>>30)
	}
	return c.freeSpace(ctx, node, items(downloads), size-available)
}

// available is the free space on a node's disk. A node that has just come up may not know it yet.
func (c *Client) available(ctx context.Context, node string, deadline time.Time) (bytes int64, known bool, err error) {
	var wait backoff
	for {
		disk, err := c.state(ctx, "nodeDisk", node)
		if err != nil {
			return 0, false, err
		}
		if disk != nil && pyvalue.Truth(disk) {
			return int64(number(disk, "available", "inBytes")), true, nil
		}
		left := deadline.Sub(c.now())
		if left <= 0 {
			return 0, false, nil
		}
		c.log(slog.LevelInfo, "Waiting for disk info on %s (%.0fs remaining)...", node, left.Seconds())
		if err := c.sleep(ctx, min(wait.next(), left)); err != nil {
			return 0, false, err
		}
	}
}

// freeSpace deletes completed downloads, smallest first, until so many bytes are free.
func (c *Client) freeSpace(ctx context.Context, node string, downloads []pyvalue.Value, need int64) error {
	type victim struct {
		model string
		size  int64
	}
	var victims []victim
	for _, entry := range downloads {
		kind, content := variant(entry)
		if readOnly, ok := field(content, "readOnly").(pyvalue.Bool); kind == "DownloadCompleted" && !(ok && bool(readOnly)) {
			victims = append(victims, victim{modelOf(content), int64(number(content, "total", "inBytes"))})
		}
	}
	slices.SortStableFunc(victims, func(a, b victim) int { return cmp.Compare(a.size, b.size) })
	for _, v := range victims {
		if need <= 0 {
			break
		}
		c.log(slog.LevelInfo, "Deleting %s from %s (%dMB)", v.model, node, v.size>>20)
		if _, err := c.call(ctx, http.MethodDelete, "/download/"+escapePath(node, v.model), nil); err != nil {
			return err
		}
		need -= v.size
	}
	if need > 0 {
		return failure("Could not free enough space on %s", node)
	}
	return nil
}

// downloaded reports whether all nodes have the model. A download that failed is an error unless the model is there all the same.
func (c *Client) downloaded(ctx context.Context, modelID string, nodes []string) (bool, error) {
	all := true
	for _, node := range nodes {
		downloads, err := c.state(ctx, "downloads", node)
		if err != nil {
			return false, err
		}
		complete := false
		var problem *string
		for _, entry := range items(downloads) {
			kind, content := variant(entry)
			if modelOf(content) != modelID {
				continue
			}
			switch kind {
			case "DownloadCompleted":
				complete = true
			case "DownloadFailed":
				problem = new(text(content, "errorMessage"))
			case "DownloadOngoing":
				c.report(node, modelID, field(content, "downloadProgress"))
			}
		}
		switch {
		case complete:
		case problem != nil:
			return false, failure("Download failed on %s: %s", node, *problem)
		default:
			all = false
		}
	}
	return all, nil
}

func (c *Client) report(node, modelID string, progress pyvalue.Value) {
	d := Download{
		Node:       node,
		Model:      modelID,
		Downloaded: int64(number(progress, "downloaded", "inBytes")),
		Total:      int64(number(progress, "total", "inBytes")),
		Speed:      number(progress, "speed"),
		ETA:        time.Duration(number(progress, "etaMs") * float64(time.Millisecond)),
		Files:      int(number(progress, "completedFiles")),
		TotalFiles: int(number(progress, "totalFiles")),
	}
	if c.OnDownload != nil {
		c.OnDownload(d)
		return
	}
	c.log(slog.LevelInfo, "%s", d)
}

// modelOf is the model that an entry of the downloads is about.
func modelOf(download pyvalue.Value) string {
	_, shard := variant(field(download, "shardMetadata"))
	return text(shard, "modelCard", "modelId")
}
