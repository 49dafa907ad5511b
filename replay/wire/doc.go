// Package wire reads the API formats of model servers, request and response, whole and streamed, into one normal form.
//
// [ParseResponse] turns a response body into an [Answer]; [ParseRequest] turns a request body into a [Request]. Both read
// OpenAI Chat Completions (with exo's /bench variant), Claude Messages, OpenAI Responses, Ollama chat and Ollama generate.
//
// Nothing is repaired and nothing is lost: what does not fit a format is kept beside the values that could be read, with its
// place in the body ([Answer.Unknown], [Answer.Malformed], [Answer.Notes]). The reading never depends on how the bytes were
// cut on their way. The package judges nothing; it holds what a judge needs.
package wire
