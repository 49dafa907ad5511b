// Package schema checks the arguments of tool calls against the JSON Schemas that the tools were offered with.
//
// The draft is the one a schema declares, else the newest of 2020-12, 7 and 4 that it is a schema of. Nothing is ever loaded: a schema that refers to a document outside itself
// is unusable, as is one that is no schema. Values are not coerced, and an integer may be written 40.0. Formats are not checked, as the
// standard leaves them to the reader.
package schema
