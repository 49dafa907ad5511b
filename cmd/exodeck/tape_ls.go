package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/report"
)

type tapeLsConfig struct {
	Tape   string
	Query  tape.Query
	Format string
}

func tapeLsCommand(e env) *cli.Command {
	return leaf("ls", "list the exchanges", "", 0, append(queryFlags(),
		tapeFlag(),
		&cli.StringFlag{Name: "format", Value: "text", Usage: "`text`, or json: one object a line"},
	), func(c *cli.Context) error {
		q, err := queryOf(c)
		if err != nil {
			return err
		}
		cfg := tapeLsConfig{Tape: c.String("tape"), Query: q, Format: c.String("format")}
		if err := checkTextOrJSON(cfg.Format); err != nil {
			return err
		}
		return runTapeLs(c.Context, cfg, e)
	})
}

func queryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "only this `SESSION`"},
		&cli.StringFlag{Name: "api", Usage: "only this `API` family: openai, claude, responses, ollama, ollama-generate, control, other"},
		&cli.StringFlag{Name: "model", Usage: "only this `MODEL`"},
		&cli.StringSliceFlag{Name: "ended", Usage: "only exchanges that ended so: complete, client_gone, upstream_error, …; may be repeated"},
		&cli.StringFlag{Name: "since", Usage: "only exchanges that started at or after this `TIME` (RFC 3339), or so long ago (1h30m)"},
		&cli.StringFlag{Name: "until", Usage: "only exchanges that started before this `TIME`"},
	}
}

func queryOf(c *cli.Context) (tape.Query, error) {
	q := tape.Query{Session: c.String("session"), Model: c.String("model")}
	var err error
	if q.API, err = oneOf("api", c.String("api"), apis); err != nil {
		return q, err
	}
	for _, s := range c.StringSlice("ended") {
		ended, err := oneOf("ended", s, endings)
		if err != nil {
			return q, err
		}
		q.Ended = append(q.Ended, ended)
	}
	if q.From, err = parseTime(c, "since"); err != nil {
		return q, err
	}
	q.To, err = parseTime(c, "until")
	return q, err
}

// apis and endings are what --api and --ended may name.
var (
	apis    = []tape.API{tape.OpenAI, tape.Claude, tape.Responses, tape.Ollama, tape.OllamaGenerate, tape.Control, tape.Other}
	endings = []tape.Ended{tape.Complete, tape.ClientGone, tape.UpstreamError, tape.UpstreamTruncated, tape.RecorderError, tape.Interrupted}
)

// oneOf checks the value of a flag against those it can have; an empty one restricts nothing.
func oneOf[T ~string](flag, value string, known []T) (T, error) {
	if value == "" || slices.Contains(known, T(value)) {
		return T(value), nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return "", usagef("--%s is one of %s, not %q", flag, strings.Join(names, ", "), value)
}

func parseTime(c *cli.Context, flag string) (time.Time, error) {
	s := c.String(flag)
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return time.Now().Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--%s %q is no time; write 2026-01-31T15:04:05Z, 2026-01-31 or 1h30m", flag, s)
}

// listedExchange is an exchange as a row of the list.
type listedExchange struct {
	Session       string            `json:"session"`
	Seq           int64             `json:"seq"`
	Started       time.Time         `json:"started"`
	API           tape.API          `json:"api"`
	Model         string            `json:"model,omitempty"`
	Stream        bool              `json:"stream"`
	Method        string            `json:"method"`
	URL           string            `json:"url"`
	Status        int               `json:"status"`
	Ended         tape.Ended        `json:"ended"`
	Cause         string            `json:"cause,omitempty"`
	RequestBytes  int64             `json:"request_bytes"`
	ResponseBytes int64             `json:"response_bytes"`
	TTFBMS        float64           `json:"ttfb_ms"`
	TotalMS       float64           `json:"total_ms"`
	Labels        map[string]string `json:"labels,omitempty"`
}

func listed(x *tape.Exchange) listedExchange {
	return listedExchange{
		Session:       x.Session,
		Seq:           x.Seq,
		Started:       x.Started.UTC(),
		API:           x.Facts.API,
		Model:         x.Facts.Model,
		Stream:        x.Facts.Stream,
		Method:        x.Request.Method,
		URL:           x.Request.URL,
		Status:        x.Response.Status,
		Ended:         x.Ended,
		Cause:         x.Cause,
		RequestBytes:  x.Request.Body.Size,
		ResponseBytes: x.Response.Body.Size,
		TTFBMS:        float64(x.TTFB.Microseconds()) / 1000,
		TotalMS:       float64(x.Total.Microseconds()) / 1000,
		Labels:        x.Labels,
	}
}

func runTapeLs(ctx context.Context, cfg tapeLsConfig, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	w := newTable("seq", "started", "api", "request", "model", "status", "ended", "sent", "received", "first byte", "total")
	session, n := "", 0
	for x, err := range t.Exchanges(ctx, cfg.Query) {
		if err != nil {
			return fmt.Errorf("listing %s: %w", cfg.Tape, err)
		}
		n++
		row := listed(x)
		if cfg.Format == "json" {
			if err := enc.Encode(row); err != nil {
				return err
			}
			continue
		}
		if x.Session != session {
			session = x.Session
			w.AppendRow(table.Row{"", "session " + session})
		}
		w.AppendRow(table.Row{
			row.Seq, row.Started.Format("15:04:05.000"), apiCell(row), show.Printable(row.Method + " " + cut(row.URL, 40)),
			show.Printable(cut(row.Model, 30)), statusCell(row.Status), endedCell(row.Ended),
			formatBytes(row.RequestBytes), formatBytes(row.ResponseBytes), formatDuration(x.TTFB), formatDuration(x.Total),
		})
	}
	if cfg.Format == "json" {
		return nil
	}
	if n == 0 {
		fmt.Fprintf(e.stderr, "%s holds no exchange of that kind; exodeck tape stats says what it holds\n", cfg.Tape)
		return nil
	}
	_, err = fmt.Fprintln(e.stdout, w.Render())
	return err
}

func apiCell(x listedExchange) string {
	if x.Stream {
		return string(x.API) + " ≋"
	}
	return string(x.API)
}

func statusCell(status int) string {
	if status == 0 {
		return "–"
	}
	return fmt.Sprint(status)
}

func endedCell(ended tape.Ended) string {
	if ended == tape.InFlight {
		return "in flight"
	}
	return string(ended)
}

// newTable is a table with these columns.
func newTable(columns ...string) table.Writer {
	w := report.NewTable()
	header := make(table.Row, len(columns))
	for i, c := range columns {
		header[i] = c
	}
	w.AppendHeader(header)
	return w
}
