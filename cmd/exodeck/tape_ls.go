package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/proxy/tape"
	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/show"
	"github.com/exodeck/exodeck/score/report"
)

func tapeLsCommand(e env) *cli.Command {
	return leaf("ls", "list the exchanges, streamed ones marked ≋", "", 0, tapeQueryFlags(oneALine), func(c *cli.Context) error {
		cfg, err := tapeQueryOf(c)
		if err != nil {
			return err
		}
		return runTapeLs(c.Context, cfg, e)
	})
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
		URL:           show.Target(x.Request.URL),
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

func runTapeLs(ctx context.Context, cfg tapeQuery, e env) error {
	t, err := cassette.OpenSource(ctx, cfg.Tape)
	if err != nil {
		return err
	}
	defer t.Close()
	enc := jsonLines(e.stdout)
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
			formatBytes(row.RequestBytes), formatBytes(row.ResponseBytes), firstByteCell(x), formatDuration(x.Total),
		})
	}
	if cfg.Format == "json" {
		return nil
	}
	if n == 0 {
		tellNone(cfg.Tape, "exchange", cfg.Query, e)
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

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func statusCell(status int) string {
	if status == 0 {
		return "–"
	}
	return fmt.Sprint(status)
}

// firstByteCell is a dash when no response began.
func firstByteCell(x *tape.Exchange) string {
	if x.Response.Status == 0 {
		return "–"
	}
	return formatDuration(x.TTFB)
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
