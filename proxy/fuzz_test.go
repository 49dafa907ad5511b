package proxy

import (
	"net/url"
	"testing"
)

// FuzzParseHost: a host that can be read is written as it is read, and allows the URLs that name it and none that name another.
func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"exo.local", "Exo.Local.:80", "[::1]:52415", "::1", "[::1]", "fe80::1%eth0", "exo:0", "[exo]", "[", "a..", "1.2.3.4:08"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h, err := ParseHost(s)
		if err != nil {
			return
		}
		if again, err := ParseHost(h.String()); err != nil || again != h {
			t.Errorf("%q is %+v, written as %q it is %+v, %v", s, h, h, again, err)
		}
		port := h.Port
		if port == "" {
			port = "52415"
		}
		u := &url.URL{Scheme: "http", Host: Host{h.Name, port}.String(), Path: "/state"}
		if !h.allows(u) {
			t.Errorf("%q does not allow %s", s, u)
		}
		for _, other := range []Host{{h.Name + "x", port}, {"x" + h.Name, port}} {
			if u.Host = other.String(); h.allows(u) {
				t.Errorf("%q allows %s", s, u)
			}
		}
	})
}
