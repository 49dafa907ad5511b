// Package ask puts ACEBench's samples to a model and collects the answers.
//
// A [Suite] is the same program live and offline; only its http.RoundTrippers differ. Live it asks a server through a recording
// transport. Offline it asks a replay transport, which answers from the tape. Given both it asks the server only what the tape does
// not hold, which is how a run that was stopped goes on.
//
// Normal and special samples are one question each. Agents are rollouts: package rollout plays them on the simulated APIs, and each of
// their questions goes the same way.
//
// An error of the API is not a wrong answer. Such a sample is reported as missing, with the cause, and the run goes on.
package ask
