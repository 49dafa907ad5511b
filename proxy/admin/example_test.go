package admin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/exodeck/exodeck/proxy/admin"
	"github.com/exodeck/exodeck/proxy/tape"
)

func Example() {
	stats := func() tape.Stats { return tape.Stats{Committed: 3} } // a tape.Recorder's Stats
	metrics := admin.NewMetrics(stats)                             // metrics.Ended is a proxy's OnEnd
	srv := httptest.NewServer(admin.New(metrics, stats))
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/healthz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Print(resp.Status, ", ", string(body))
	if err != nil {
		fmt.Println(err)
	}
	// Output: 200 OK, ok
}
