// Package recorded finds the answers to ACEBench's samples on a tape.
//
// [Find] tells what a tape holds. A run of the suite left its settings as the labels of its sessions, and every question carries the
// sample it belongs to; such a recording is played again with [ask.Suite] on the replay transport. A recording of another client,
// evalscope or the official runner, is recognised by its prompts.
//
// Samples that another client asks the same take the recorded answers in recorded order, each once. Where the client had several questions
// under way and the order decides a verdict, they are ambiguous.
//
// Rollouts of another client are recognised by what they ask, step by step. Many samples open with the same request, so every
// assignment of the recorded conversations to the samples that is consistent with all their requests is tried. When several remain
// that lead to different verdicts, the samples are ambiguous.
package recorded
