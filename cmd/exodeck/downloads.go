package main

import (
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/schollz/progressbar/v3"

	"github.com/exodeck/exodeck/score/scenario/cluster"
)

// downloads shows how downloads on the nodes of a cluster get on: one bar for all of them on a terminal, else a line for each report.
type downloads struct {
	w   io.Writer
	mu  sync.Mutex
	bar *progressbar.ProgressBar
	of  map[string]cluster.Download // by node
}

func newDownloads(w io.Writer) *downloads {
	return &downloads{w: w, of: map[string]cluster.Download{}}
}

func (d *downloads) show(x cluster.Download) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !isTerminal(d.w) {
		fmt.Fprintln(d.w, x)
		return
	}
	d.of[x.Node] = x
	var done, total int64
	for _, x := range d.of {
		done += x.Downloaded
		total += x.Total
	}
	if d.bar == nil {
		d.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(d.w), progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetDescription("downloading "+x.Model), progressbar.OptionClearOnFinish())
	}
	d.bar.ChangeMax64(total)
	// A bar that cannot be drawn is no reason to stop a download.
	_ = d.bar.Set64(done)
}

func (d *downloads) log(level slog.Level, message string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar != nil {
		_ = d.bar.Clear()
	}
	fmt.Fprintf(d.w, "%s: %s\n", level, message)
}
