package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// Model is a model that exo knows.
type Model struct {
	// ID is the full id that requests name it by.
	ID string
	// Size is the size of its files in bytes, 0 when unknown.
	Size int64
}

// UnknownModelError means that exo does not list a model.
type UnknownModelError struct{ Name string }

// Error implements error.
func (e *UnknownModelError) Error() string { return "Model not found in /models: " + e.Name }

// Resolve finds a model by its short name, in any case, or by its exact Hugging Face id. With forceDownload a model that exo does not
// know is added first.
func (c *Client) Resolve(ctx context.Context, name string, forceDownload bool) (Model, error) {
	model, err := c.find(ctx, name)
	if _, unknown := err.(*UnknownModelError); !unknown || !forceDownload {
		return model, err
	}
	added, err := c.call(ctx, http.MethodPost, "/models/add", pyvalue.DictOf("model_id", pyvalue.Str(name)))
	if err != nil {
		return Model{}, fmt.Errorf("adding the model %s: %w", name, err)
	}
	if id := text(added, "hugging_face_id"); id != "" {
		name = id
	}
	return c.find(ctx, name)
}

func (c *Client) find(ctx context.Context, name string) (Model, error) {
	list, err := c.call(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return Model{}, err
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
			model := Model{ID: text(entry, "hugging_face_id")}
			if model.ID == "" {
				model.ID = text(entry, "name")
			}
			return model, nil
		}
	}
	return Model{}, &UnknownModelError{name}
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
