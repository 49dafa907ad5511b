// Package acebench scores recorded answers to ACEBench: the verdict on each sample, and the benchmark's figures over all of them.
//
// What goes in is a [dataset.Set] and an [Answer] for each sample, wherever the answers were recorded: [ReadResults] reads the files
// that the official runner and evalscope write. [Score] judges them under one of the rule sets that package rules describes; what
// comes out is a [Report], and as JSON a [RunFile]. No model and no network is involved, nothing an answer says is executed, and
// the same input gives the same bytes on every machine.
//
// The parts are packages of their own. What judging needs: dataset (samples, prompts, worlds), pysource (what the official checkout has
// in Python files), rules (what each rule set decides), decode (from text to calls), check (from calls to a verdict), aggregate (from
// verdicts to figures). What recordings need: prompt (what a model is asked with), ask (asks a model, or a recording), recorded (finds the
// answers on a tape), offline (joins them all). What people read: sheet (figures of one or several rule sets), explain (why one answer got
// its verdict), audit (what is wrong with the data itself).
package acebench
