package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/exodeck/exodeck/proxy/tape"
)

// tapedExchange is a line of the file that cmdTaped reads. A response that is a string is sent as text, anything else as JSON.
type tapedExchange struct {
	URL      string          `json:"url"`
	Request  json.RawMessage `json:"request"`
	Status   int             `json:"status"` // 0 is 200
	Type     string          `json:"type"`   // "" is application/json
	Response json.RawMessage `json:"response"`
}

// cmdTaped makes a tape of exchanges that a script writes down, one a line: taped FILE EXCHANGES.
func cmdTaped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: taped FILE EXCHANGES")
	}
	var all []written
	sc := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[1])))
	for sc.Scan() {
		var x tapedExchange
		ts.Check(json.Unmarshal(sc.Bytes(), &x))
		all = append(all, x.written())
	}
	ts.Check(writeTape(context.Background(), ts.MkAbs(args[0]), tape.Session{Name: "s1"}, all))
}

// written is the exchange as it is put on a tape: a POST that ended well.
func (x tapedExchange) written() written {
	body := string(x.Response)
	var text string
	if json.Unmarshal(x.Response, &text) == nil {
		body = text
	}
	return written{
		method: "POST", url: x.URL, request: string(x.Request),
		status: cmp.Or(x.Status, 200), contentType: cmp.Or(x.Type, "application/json"), pieces: []string{body}, ended: tape.Complete,
	}
}
