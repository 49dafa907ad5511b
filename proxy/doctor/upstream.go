package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/exodeck/exodeck/proxy"
)

// upstream checks what stands behind the proxy: that it answers, that it is exo, and what it can be asked.
func (d *doctor) upstream(ctx context.Context) {
	const name = "upstream"
	shown := shownURL(d.Upstream)
	if proxy.LeadsTo(d.Upstream, d.Listen) {
		d.add(name, Problem, shown+" is the address that exodeck listens on: it would ask itself",
			"name exo's own address with --upstream http://localhost:52415; EXO_HOST and EXO_PORT, when set, name it otherwise")
		return
	}
	models, err := d.ask(ctx, "/models")
	if err != nil {
		d.add(name, Problem, fmt.Sprintf("nothing answers at %s: %v", shown, err), "start exo, or name where it is with --upstream URL")
		return
	}
	node, err := d.ask(ctx, "/node_id")
	var id string
	switch {
	case err == nil && node.status == http.StatusOK && json.Unmarshal(node.body, &id) == nil:
		d.models = models.body
		d.ok(name, fmt.Sprintf("exo answers at %s as node %s (its API tells no version)", shown, id))
		d.list(ctx, models)
		d.instances(ctx)
		return
	case models.status == http.StatusOK && modelsOf(models.body) != nil:
		d.models = models.body
	default:
		if models, err = d.ask(ctx, "/v1/models"); err != nil || models.status != http.StatusOK || modelsOf(models.body) == nil {
			d.add(name, Problem, fmt.Sprintf("what answers at %s is neither exo nor another model server%s", shown, software(node)),
				"name where exo is with --upstream URL")
			return
		}
	}
	d.add(name, Warning, fmt.Sprintf("what answers at %s is a model server, but not exo%s", shown, software(node)),
		"record it if that is meant; what is exo's alone (its cluster, /bench, /state) will be missing")
	d.list(ctx, models)
}

// ask gets a path of the upstream.
func (d *doctor) ask(ctx context.Context, path string) (*answer, error) {
	return d.client.get(ctx, strings.TrimSuffix(d.Upstream.String(), "/")+path, nil)
}

// software is what a server says of itself.
func software(a *answer) string {
	if a == nil || a.header.Get("Server") == "" {
		return ""
	}
	return fmt.Sprintf(" (it calls itself %q)", a.header.Get("Server"))
}

// list checks which models there are.
func (d *doctor) list(ctx context.Context, known *answer) {
	const name = "models"
	all := modelsOf(known.body)
	if known.status != http.StatusOK || all == nil {
		d.add(name, Warning, fmt.Sprintf("the list of models has status %d, and is none", known.status), "look at the log of the server")
		return
	}
	downloaded, err := d.ask(ctx, "/models?status=downloaded")
	if err != nil || downloaded.status != http.StatusOK || len(modelsOf(downloaded.body)) == len(all) {
		d.ok(name, fmt.Sprintf("%d: %s", len(all), some(all)))
		return
	}
	here := modelsOf(downloaded.body)
	if len(here) == 0 {
		d.add(name, Warning, fmt.Sprintf("%d are known, none is downloaded", len(all)), "exodeck run exo --model NAME downloads one")
		return
	}
	d.ok(name, fmt.Sprintf("%d are known, %d downloaded: %s", len(all), len(here), some(here)))
}

// modelsOf reads a list of models; nil when it is none.
func modelsOf(body []byte) []string {
	var list struct {
		Data *[]struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return nil
	}
	ids := []string{}
	for _, m := range *list.Data {
		ids = append(ids, m.ID)
	}
	return ids
}

// some lists a few names.
func some(names []string) string {
	const most = 4
	if len(names) == 0 {
		return "none"
	}
	s := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		s += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return s
}

// instances checks which models are loaded.
func (d *doctor) instances(ctx context.Context) {
	const name = "instances"
	a, err := d.ask(ctx, "/state/instances")
	var instances map[string]json.RawMessage
	if err != nil || a.status != http.StatusOK || json.Unmarshal(a.body, &instances) != nil {
		d.add(name, Warning, "exo does not tell which models are loaded", "look at exo's log")
		return
	}
	if len(instances) == 0 {
		d.add(name, Warning, "no model is loaded: calls of models fail until one is", "exodeck run exo --model NAME brings one up for a run; exo's dashboard does for good")
		return
	}
	var loaded []string
	for _, instance := range instances {
		loaded = append(loaded, modelOf(instance))
	}
	slices.Sort(loaded)
	d.ok(name, fmt.Sprintf("%d: %s", len(instances), some(loaded)))
}

// modelOf finds the model of an instance, which exo tags with the kind of instance: {"MlxRingInstance": {"shardAssignments": {"modelId": …}}}.
func modelOf(instance json.RawMessage) string {
	var tagged map[string]struct {
		ShardAssignments struct {
			ModelID string `json:"modelId"`
		} `json:"shardAssignments"`
	}
	if json.Unmarshal(instance, &tagged) == nil {
		for _, v := range tagged {
			if v.ShardAssignments.ModelID != "" {
				return v.ShardAssignments.ModelID
			}
		}
	}
	return "of an unknown model"
}

// shownURL is a URL without what could be secret.
func shownURL(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return bare.String()
}
