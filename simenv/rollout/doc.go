// Package rollout runs ACEBench's two agent loops against the simulated APIs of package simenv.
//
// In agent_multi_step a model gets a task and calls functions until it says "finish conversation". In agent_multi_turn it also talks with a
// user, whom a second model plays. [Runner.Run] plays one sample and returns what is graded, the messages that went to the executor and the
// state that is left, and the whole trajectory.
//
// Models are asked through [Model], one method. The package knows no HTTP: the same rollout runs on a live model, on recorded answers and on
// a script, and the same answers give the same requests byte for byte, which is how a recording is recognised. Prompts are data, too.
//
// The reference is evalscope's port of the benchmark. It has habits that recorded scores depend on: in agent_multi_step the model never sees its own
// messages, an unreadable message costs a step and a nudge, the finish marker counts in observations as well, the budget counts iterations of
// the loop and not answers. They are kept.
package rollout
