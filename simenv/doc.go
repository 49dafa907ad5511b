// Package simenv simulates the APIs that ACEBench's agents drive: a phone's messages and reminders, a food delivery platform, a
// travel agency, in English and in Chinese.
//
// A [World] holds the tables that everybody starts from. An [Env] is one rollout's own copy of some of its APIs. [Env.Execute] runs the calls
// of one agent message and returns what the agent is told; [Env.Snapshot] returns the state that is graded. Environments share
// nothing, so any number of them may run at once.
//
// The reference is evalscope's port of the benchmark, run by CPython 3.11. Observations agree with it byte for byte: texts, order of
// keys, how numbers print, what an exception says. That includes its mistakes, since recorded verdicts depend on them. A comment says
// so where the code looks wrong and must stay.
//
// # The APIs
//
// Each API is one file: its state, its method table, its texts in both languages, its methods. [Methods] lists the tables. To add an API,
// write such a file and name it in the variable classes.
//
// # Calls
//
// A call is a name and keyword arguments, given by a model and therefore arbitrary. The name is looked up in the tables and nowhere else.
// Arguments are bound as Python binds them, with the same complaints, and annotations are not enforced, so every method takes any value.
//
// The package decides nothing about right or wrong, asks no model and knows no network. Package simenv/rollout runs the loops.
package simenv
