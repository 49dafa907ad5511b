package main

import (
	"github.com/urfave/cli/v2"

	"github.com/exodeck/exodeck/replay/cassette"
	"github.com/exodeck/exodeck/replay/cassette/redact"
	"github.com/exodeck/exodeck/replay/show"
)

// redactFlags are the flags that say what is taken out beside what always is.
type redactFlags struct {
	JSON    []string
	Headers []string
	PII     bool
}

func redactionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "redact-json", Usage: "take out the values at this `PATH` of JSON bodies and events, such as $.user or $.messages[*].name; may be repeated"},
		&cli.StringSliceFlag{Name: "redact-header", Usage: "take out the values of this `HEADER`; may be repeated"},
		&cli.BoolFlag{Name: "redact-pii", Usage: "take out e-mail and IP addresses"},
	}
}

func redactFlagsOf(c *cli.Context) redactFlags {
	return redactFlags{JSON: c.StringSlice("redact-json"), Headers: c.StringSlice("redact-header"), PII: c.Bool("redact-pii")}
}

func (f redactFlags) any() bool { return len(f.JSON) > 0 || len(f.Headers) > 0 || f.PII }

func (f redactFlags) rules() (redact.Rules, error) {
	rules := redact.Rules{Headers: f.Headers, PII: f.PII}
	for _, s := range f.JSON {
		path, err := redact.ParsePath(s)
		if err != nil {
			return rules, err
		}
		rules.JSON = append(rules.JSON, path)
	}
	return rules, nil
}

// filesReplaced says how many packed files were replaced, nothing when there were none. Of what is in them the secrets are counted
// already.
func filesReplaced(done cassette.Exported) string {
	if done.Files == 0 {
		return ""
	}
	return ", " + show.Count(done.Files, "packed file") + " replaced"
}
