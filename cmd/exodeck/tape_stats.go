package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
)

func tapeStatsCommand(e env) *cli.Command {
	return leaf("stats", "count what is on the tape", "", 0, tapeQueryFlags(textOrJSON), func(c *cli.Context) error {
		cfg, err := tapeQueryOf(c)
		if err != nil {
			return err
		}
		return runTapeStats(c.Context, cfg, e)
	})
}

// tapeStats is what the command prints.
type tapeStats struct {
	Tape      string         `json:"tape"`
	Exchanges int64          `json:"exchanges"`
	First     *time.Time     `json:"first,omitempty"`
	Last      *time.Time     `json:"last,omitempty"`
	Bodies    int64          `json:"bodies"`
	Bytes     int64          `json:"body_bytes"`
	Stored    int64          `json:"stored_bytes"`
	Groups    []statsGroup   `json:"groups"`
	Sessions  []statsSession `json:"sessions"`
}

type statsGroup struct {
	API           tape.API   `json:"api"`
	Model         string     `json:"model,omitempty"`
	Stream        bool       `json:"stream"`
	Ended         tape.Ended `json:"ended"`
	Exchanges     int64      `json:"exchanges"`
	RequestBytes  int64      `json:"request_bytes"`
	ResponseBytes int64      `json:"response_bytes"`
}

type statsSession struct {
	Name       string            `json:"name"`
	Started    time.Time         `json:"started"`
	Ended      *time.Time        `json:"ended,omitempty"`
	Upstream   string            `json:"upstream"`
	Exchanges  int64             `json:"exchanges"`
	Unrecorded int64             `json:"unrecorded"`
	Labels     map[string]string `json:"labels,omitempty"`
}

func runTapeStats(ctx context.Context, cfg tapeQuery, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	stats, err := collectStats(ctx, t, cfg)
	if err != nil {
		return fmt.Errorf("counting %s: %w", cfg.Tape, err)
	}
	if cfg.Format == "json" {
		return e.printJSON(stats)
	}
	return printStats(stats, e)
}

func collectStats(ctx context.Context, t cassette.Source, cfg tapeQuery) (*tapeStats, error) {
	sum, err := t.Summary(ctx, cfg.Query)
	if err != nil {
		return nil, err
	}
	sessions, err := t.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	stats := &tapeStats{
		Tape: cfg.Tape, Exchanges: sum.Exchanges, First: known(sum.First), Last: known(sum.Last),
		Bodies: sum.Bodies, Bytes: sum.BodyBytes, Stored: sum.StoredBytes,
		Groups: []statsGroup{}, Sessions: []statsSession{},
	}
	for _, g := range sum.Groups {
		stats.Groups = append(stats.Groups, statsGroup{g.API, g.Model, g.Stream, g.Ended, g.Exchanges, g.RequestBytes, g.ResponseBytes})
	}
	for _, s := range sessions {
		if cfg.Query.Session == "" || cfg.Query.Session == s.Name {
			stats.Sessions = append(stats.Sessions, statsSession{s.Name, s.Started.UTC(), known(s.Ended), s.Upstream, s.Exchanges, s.Unrecorded, s.Labels})
		}
	}
	return stats, nil
}

// known is nil for a time that is not.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func printStats(s *tapeStats, e env) error {
	fmt.Fprintf(e.stdout, "%s: %s in %s; %s of %s, stored in %s\n\n",
		s.Tape, show.Count(s.Exchanges, "exchange"), show.Count(len(s.Sessions), "session"), show.Count(s.Bodies, "body"), formatBytes(s.Bytes), formatBytes(s.Stored))
	sessions := newTable("session", "started", "upstream", "exchanges", "unrecorded", "labels")
	for _, x := range s.Sessions {
		sessions.AppendRow(table.Row{x.Name, x.Started.Format(time.DateTime), x.Upstream, x.Exchanges, x.Unrecorded, labelCell(x.Labels)})
	}
	fmt.Fprintf(e.stdout, "%s\n\n", sessions.Render())
	groups := newTable("api", "model", "streamed", "ended", "exchanges", "sent", "received")
	for _, g := range s.Groups {
		groups.AppendRow(table.Row{g.API, show.Printable(g.Model), yesNo(g.Stream), endedCell(g.Ended), g.Exchanges, formatBytes(g.RequestBytes), formatBytes(g.ResponseBytes)})
	}
	_, err := fmt.Fprintln(e.stdout, groups.Render())
	return err
}

// labelCell is as many of the labels as a table has room for; the JSON has all.
func labelCell(labels map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if labels[k] != "" {
			parts = append(parts, show.Printable(k+"="+labels[k]))
		}
	}
	return cut(strings.Join(parts, " "), 80)
}
