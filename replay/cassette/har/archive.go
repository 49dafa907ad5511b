package har

import "time"

// archive is a HAR file, as far as it is read or written.
type archive struct {
	Log log `json:"log"`
}

type log struct {
	Version string   `json:"version"`
	Creator creator  `json:"creator"`
	Pages   []any    `json:"pages"`
	Entries []*entry `json:"entries"`
}

type creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type entry struct {
	Started  time.Time `json:"startedDateTime"`
	Time     float64   `json:"time"`
	Request  request   `json:"request"`
	Response response  `json:"response"`
	Cache    struct{}  `json:"cache"`
	Timings  timings   `json:"timings"`
	Frames   []frame   `json:"_frames,omitempty"`
	Exodeck  *exodeck  `json:"_exodeck,omitempty"`
}

type request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	Version     string    `json:"httpVersion"`
	Cookies     []pair    `json:"cookies"`
	Headers     []pair    `json:"headers"`
	QueryString []pair    `json:"queryString"`
	PostData    *postData `json:"postData,omitempty"`
	HeadersSize int64     `json:"headersSize"`
	BodySize    int64     `json:"bodySize"`
}

type response struct {
	Status      int     `json:"status"`
	StatusText  string  `json:"statusText"`
	Version     string  `json:"httpVersion"`
	Cookies     []pair  `json:"cookies"`
	Headers     []pair  `json:"headers"`
	Content     content `json:"content"`
	RedirectURL string  `json:"redirectURL"`
	HeadersSize int64   `json:"headersSize"`
	BodySize    int64   `json:"bodySize"`
	// Error is why there is no response, as Chromium says it.
	Error string `json:"_error,omitempty"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type postData struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Params   []pair `json:"params,omitempty"`
	// Encoding is "base64" for a body that is not UTF-8; HAR has none for requests.
	Encoding string `json:"_encoding,omitempty"`
}

type content struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
}

// timings are in milliseconds; -1 for what does not apply.
type timings struct {
	Blocked float64 `json:"blocked,omitempty"`
	DNS     float64 `json:"dns,omitempty"`
	Connect float64 `json:"connect,omitempty"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// frame is a piece of a response body.
type frame struct {
	Offset int64   `json:"offset"`
	MS     float64 `json:"ms"`
}

// exodeck is what HAR has no place for.
type exodeck struct {
	Session  string            `json:"session,omitempty"`
	Upstream string            `json:"upstream,omitempty"`
	Target   string            `json:"target,omitempty"` // the request target as it was sent
	Host     string            `json:"host,omitempty"`
	Ended    string            `json:"ended"`
	Cause    string            `json:"cause,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	NoReason bool              `json:"no_reason,omitempty"`
}
