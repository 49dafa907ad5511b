package doctor

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer is how much of an answer is read. The list of all models that exo knows is below it.
const maxAnswer = 8 << 20

// httpClient asks with one connection a request, straight, or by way of an HTTP proxy.
type httpClient struct {
	base    http.RoundTripper
	timeout time.Duration
}

// client makes one. Proxies that the environment names are not used: what is asked is one address, not whoever stands before it.
func client(timeout time.Duration, proxy *url.URL) *httpClient {
	t := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	if proxy != nil {
		t.Proxy = http.ProxyURL(proxy)
	}
	return &httpClient{t, timeout}
}

// answer is what came of a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (c *httpClient) get(ctx context.Context, target string, header http.Header) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.base.RoundTrip(req)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, errors.New("no answer within " + c.timeout.String())
		}
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &answer{resp.StatusCode, resp.Header, body}, nil
}
