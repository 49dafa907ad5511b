package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Rules say which problems count. The zero value is all of them, as [Codes] has them.
type Rules struct {
	// Only are the codes or groups that count; all if empty. Ignore are those that do not.
	Only, Ignore []string
	// Severity holds other severities than those of [Codes], by code.
	Severity map[string]Severity
	// Timeout is the longest time a stream may be without an event; 0 is [DefaultTimeout].
	Timeout time.Duration
}

// DefaultTimeout leaves room for the prefill of a long prompt, during which a stream has no event.
const DefaultTimeout = 5 * time.Minute

// rulesFile is a file of rules, in TOML:
//
//	only = ["tool call", "content"]     # codes or groups
//	ignore = ["duplicate-call"]
//	timeout = "2m"
//	[severity]
//	missing-usage = "error"
type rulesFile struct {
	Only     []string            `toml:"only"`
	Ignore   []string            `toml:"ignore"`
	Timeout  string              `toml:"timeout"`
	Severity map[string]Severity `toml:"severity"`
}

// ParseRules reads a file of rules.
func ParseRules(text string) (Rules, error) {
	var f rulesFile
	meta, err := toml.Decode(text, &f)
	if err != nil {
		return Rules{}, fmt.Errorf("reading rules: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Rules{}, fmt.Errorf("reading rules: there is no setting %q; there are only, ignore, timeout and [severity]", unknown[0])
	}
	r := Rules{Only: f.Only, Ignore: f.Ignore, Severity: f.Severity}
	if f.Timeout != "" {
		if r.Timeout, err = time.ParseDuration(f.Timeout); err != nil || r.Timeout <= 0 {
			return Rules{}, fmt.Errorf("reading rules: timeout %q is no time; write 90s or 5m", f.Timeout)
		}
	}
	if err := r.Validate(); err != nil {
		return Rules{}, fmt.Errorf("reading rules: %w", err)
	}
	return r, nil
}

// Validate reports the first code or severity that does not exist.
func (r *Rules) Validate() error {
	for _, name := range slices.Concat(r.Only, r.Ignore) {
		if !slices.ContainsFunc(Codes, func(c Code) bool { return names(name, c) }) {
			return fmt.Errorf("there is no problem code or group %q; `exodeck conformance codes` lists them", name)
		}
	}
	for code, severity := range r.Severity {
		if _, ok := CodeOf(code); !ok {
			return fmt.Errorf("there is no problem code %q; `exodeck conformance codes` lists them", code)
		}
		if severity != Error && severity != Warning {
			return fmt.Errorf("the severity of %s is error or warning, not %q", code, severity)
		}
	}
	return nil
}

// names reports whether a name in a rule means a code: it is the code's name or that of its group, which may be written with a hyphen.
func names(name string, c Code) bool {
	return name == c.Name || strings.ReplaceAll(name, "-", " ") == string(c.Group)
}

// Wants reports whether problems of a code count.
func (r *Rules) Wants(c Code) bool {
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return names(name, c) })
	}
	return (len(r.Only) == 0 || named(r.Only)) && !named(r.Ignore)
}

// SeverityOf returns the severity problems of a code have.
func (r *Rules) SeverityOf(c Code) Severity {
	if s, ok := r.Severity[c.Name]; ok {
		return s
	}
	return c.Severity
}

func (r *Rules) timeout() time.Duration {
	if r.Timeout > 0 {
		return r.Timeout
	}
	return DefaultTimeout
}

// String writes the rules in a form that is the same for the same rules, for their digest.
func (r *Rules) String() string {
	var b strings.Builder
	for _, c := range Codes {
		if r.Wants(c) {
			fmt.Fprintf(&b, "%s %s\n", c.Name, r.SeverityOf(c))
		}
	}
	fmt.Fprintf(&b, "timeout %s\n", r.timeout())
	return b.String()
}
