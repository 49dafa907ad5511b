package admin_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/exodeck/exodeck/proxy/admin"
	"github.com/exodeck/exodeck/proxy/tape"
)

func Example() {
	dir, err := os.MkdirTemp("", "admin")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	recorder, err := tape.OpenRecorder(context.Background(), filepath.Join(dir, "example.tape"), tape.RecorderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer recorder.Close()

	metrics := admin.NewMetrics(recorder) // metrics.Ended is for a proxy's OnEnd
	srv := httptest.NewServer(admin.New(metrics, recorder))
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/healthz")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Print(resp.Status, ", ")
	io.Copy(os.Stdout, resp.Body)
	// Output: 200 OK, ok
}
