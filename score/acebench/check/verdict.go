// Package check judges decoded calls, diagnostic texts, end states and traces against the ground truth, under each rule set.
//
// The rule sets evalscope and official are reproductions: same verdict, same error type, same text, and where the reference
// program would have raised an exception, that exception as the error (a [*pyvalue.Exception]). Package rules says what each set
// decides.
//
// A check reads its inputs only, so any number may run at once on the same sample.
package check

import "github.com/exodeck/exodeck/simenv/pyvalue"

// A Verdict is the outcome of one check. Type and Error are empty when it is valid. Error is the first error as the reference
// renders it; some failures have none.
type Verdict struct {
	Valid bool
	Type  string
	Error string
}

// pass is the verdict on a right answer.
var pass = Verdict{Valid: true}

// Wrong returns the verdict on a wrong answer.
func Wrong(kind, text string) Verdict { return Verdict{Type: kind, Error: text} }

// The error types that a verdict can have, besides those in which a type stands before a colon.
const (
	WrongFormat      = "wrong_output_format"
	WrongCount       = "wrong functions number"
	FunctionMismatch = "function_mismatch"
	WrongFunction    = "simple_function_checker:unclear"
	WrongName        = "wrong_function_name"
	WrongParam       = "wrong_param"
	LackArgs         = "lack_args"
	AdditionArgs     = "addition_args"
	TypeError        = "type_error"
	ValueError       = "value_error"
	ValueErrorString = "value_error:string"
	ValueErrorList   = "value_error:list/tuple"
	ValueErrorDicts  = "value_error:list_dict_count"
	ValueErrorItems  = "value_error:dict_items"
	MissingAnswer    = "missing_answer"
	ErrorDetection   = "error_detection"
	ErrorCorrection  = "error_correction"
	UnknownCategory  = "unknown_category"
	WrongClassCount  = "wrong number of class"
	WrongAttributes  = "class attributes wrong"
	MissingEndState  = "missing_end_state"
)

// A failure is why a call is wrong. Its text is made when it is asked for, since most failures are of pairs that nobody will see:
// every call is tried against every expected call of its name. A nil failure is a pass.
type failure struct {
	kind string
	text func() string
}

func fail(kind string, text func() string) *failure { return &failure{kind, text} }

func failText(kind, text string) *failure { return &failure{kind, func() string { return text }} }

func (f *failure) verdict() Verdict {
	if f == nil {
		return pass
	}
	return Wrong(f.kind, f.text())
}

// class renders a type as Python's str does.
func class(name string) string { return "<class '" + name + "'>" }

func classOf(v pyvalue.Value) string { return class(pyvalue.TypeName(v)) }
