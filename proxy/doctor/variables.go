package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy"
)

// Variable is one of the environment that says where a kind of client goes.
type Variable struct {
	Name string
	// Value is what it is set to, "" when it is not.
	Value string
	// Want is its value for clients that are to be recorded; "" for one that should not be set.
	Want string
}

// variables checks where clients that heed the environment go.
func (d *doctor) variables() {
	const name = "environment"
	var unset []string
	for _, v := range d.Variables {
		switch {
		case v.Value == "" && v.Want != "":
			unset = append(unset, v.Name)
		case v.Value == "", v.Want == "" && exempt(d.NoProxy):
		case v.Want == "" && proxy.SameAddress(addressOf(v.Value), d.Listen), v.Want != "" && sameBase(v.Value, v.Want):
			d.ok(name, v.Name+" leads through exodeck")
		case v.Want == "":
			d.add(name, Warning, fmt.Sprintf("%s is set: clients may go by way of %s even to this machine", v.Name, shownValue(v.Value)),
				"export NO_PROXY=localhost,127.0.0.1")
		case proxy.SameAddress(addressOf(v.Value), d.Listen):
			d.add(name, Warning, fmt.Sprintf("%s is %s, which leads to exodeck, but not to the right path", v.Name, shownValue(v.Value)), "export "+v.Name+"="+v.Want)
		default:
			d.add(name, Warning, fmt.Sprintf("%s is %s: what heeds it is not recorded", v.Name, shownValue(v.Value)), "export "+v.Name+"="+v.Want)
		}
	}
	if len(unset) > 0 {
		d.ok(name, strings.Join(unset, ", ")+" not set; exodeck record -- COMMAND sets them for COMMAND")
	}
}

// exempt reports whether NO_PROXY lists this machine.
func exempt(list string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(host string) bool {
		host = strings.TrimSpace(host)
		return host == "*" || host == "localhost" || strings.HasPrefix(host, "127.")
	})
}
