// Package miniworld embeds a small ACEBench bundle of our own: world tables, prompts and agent samples in English and in Chinese, in the
// layout of every other bundle. The demo plays it and tests lean on it; it needs no data of others.
//
// Its world is kept small enough to reason about by hand, and holds what the benchmark's own world lacks: flights that have left or leave
// soon, one that does not fly, a reservation without a user.
package miniworld

import "embed"

// FS is the bundle: world-en.json, world-zh.json, prompts.json and data_all/.
//
//go:embed world-en.json world-zh.json prompts.json data_all
var FS embed.FS
