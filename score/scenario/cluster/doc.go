// Package cluster brings a model up on an exo cluster for the time of a run, and takes it down again.
//
// It does what exo's own evaluator does around its questions: it finds the model, chooses a placement, sees to disk space and downloads,
// creates an instance, waits until its runners are ready, notes what the cluster looks like, and deletes the instance whatever
// happened in between. Control calls go through the same transport as the questions, so they are recorded too.
//
// The messages are those of exo's evaluator. Where that has a mistake, this package does what was meant:
//
//   - [Options.ForceDownload] adds a model that exo does not know; the evaluator never does.
//   - [Options.ReuseInstance] takes a running instance of the model and leaves it running; the evaluator always makes a new one.
//   - A failed download that is listed beside a completed one of the same model does not end the run.
//   - A runner that is busy counts as ready.
//   - An instance is deleted also when creating it or waiting for it was interrupted.
//
// A model of unknown size gets no disk check and no download: exo downloads it when the instance is created.
package cluster
