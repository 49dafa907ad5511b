// Package admin tells operators how recording goes: /healthz for probes, /metrics for Prometheus, on a listener of its own.
//
// It only looks on: it is fed the exchanges that have ended and asks the recorder for its counters. It answers only requests that
// name its own address, so that a web page cannot read it through a browser (DNS rebinding).
package admin
