package cluster

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// UnknownModelError means that exo does not list a model.
type UnknownModelError struct{ Name string }

// Error implements error.
func (e *UnknownModelError) Error() string { return "Model not found in /models: " + e.Name }

// resolve finds the full id of a model, by its short name, in any case, or by its exact Hugging Face id. With forceDownload a model that
// exo does not know is added first.
func (c *Client) resolve(ctx context.Context, name string, forceDownload bool) (string, error) {
	model, err := c.find(ctx, name)
	if _, unknown := err.(*UnknownModelError); !unknown || !forceDownload {
		return model, err
	}
	added, err := c.call(ctx, http.MethodPost, "/models/add", pyvalue.DictOf("model_id", pyvalue.Str(name)))
	if err != nil {
		return "", fmt.Errorf("adding the model %s: %w", name, err)
	}
	if id := text(added, "hugging_face_id"); id != "" {
		name = id
	}
	return c.find(ctx, name)
}

func (c *Client) find(ctx context.Context, name string) (string, error) {
	list, err := c.call(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return "", err
	}
	entries := items(list, "data")
	for _, matches := range []func(entry pyvalue.Value) bool{
		func(entry pyvalue.Value) bool { return strings.EqualFold(text(entry, "name"), name) },
		func(entry pyvalue.Value) bool { return text(entry, "hugging_face_id") == name },
	} {
		for _, entry := range entries {
			if !matches(entry) {
				continue
			}
			return cmp.Or(text(entry, "hugging_face_id"), text(entry, "name")), nil
		}
	}
	return "", &UnknownModelError{name}
}

// size asks for the size of a model's files, which may be known only by now.
func (c *Client) size(ctx context.Context, id string) (int64, error) {
	list, err := c.call(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return 0, err
	}
	for _, entry := range items(list, "data") {
		if text(entry, "hugging_face_id") == id {
			return int64(number(entry, "storage_size_megabytes") * (1 << 20)), nil
		}
	}
	return 0, nil
}
