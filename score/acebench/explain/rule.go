package explain

import (
	"github.com/exodeck/exodeck/score/acebench"
	"github.com/exodeck/exodeck/score/acebench/check"
	"github.com/exodeck/exodeck/score/acebench/dataset"
	"github.com/exodeck/exodeck/score/acebench/rules"
)

// A sentence is a rule in words. Where strict rules ask for something else than the reference rules, they have their own.
type sentence struct{ reference, strict string }

// ruleSentences says for each error type what was asked for. Package rules says more.
var ruleSentences = map[string]sentence{
	check.WrongCount:       {reference: "there must be as many calls as expected"},
	check.FunctionMismatch: {"each function must be called as often as it is expected, under the key of the ground truth without a number at its end", "each function must be called as often as it is expected, under the whole key of the ground truth when a function has that name"},
	check.WrongFunction:    {reference: "a call must have the expected name"},
	check.WrongName:        {reference: "the first function whose name is contained in the key of the ground truth must be the one that is called"},
	check.WrongParam:       {reference: "a call without arguments is right only where the schema declares no parameters, and one with arguments only where it declares some"},
	check.LackArgs:         {"every argument that the schema requires must be given", "every expected argument must be given, unless the schema does not require it and has the expected value as its default"},
	check.AdditionArgs:     {"every argument that is given must be in the schema and in the ground truth", "an argument that is not expected must have the schema's default value"},
	check.TypeError:        {"a value must have the Python type that its declared type stands for", "a value must be of the kind of the expected one; a boolean is no number"},
	check.ValueErrorString: {"the expected text must be contained in the given one, both without blanks and , . / - _ * ^ and in lower case", "the texts must be equal, both without blanks and , . / - _ * ^ and in lower case"},
	check.ValueErrorList:   {"two lists must be equal element by element, texts in them without blanks and , . / - _ * ^ and in lower case", "two lists must be equal element by element"},
	check.ValueErrorDicts:  {reference: "a list of objects must have as many as expected"},
	check.ValueErrorItems:  {reference: "a list of objects must have as many as expected"},
	check.ValueError:       {"an object must have the expected keys and no other, and each printed expected value must be contained in the printed given one", "two values must be equal, objects key by key"},
	check.MissingAnswer:    {reference: "the ground truth of the sample must hold an answer"},
	check.ErrorDetection:   {reference: "the answer must hold the sentence that the prompt asks for, letter by letter"},
	check.ErrorCorrection:  {reference: "the answer must hold every name and value of the ground truth, letter by letter"},
	check.UnknownCategory:  {reference: "the category must be incomplete, error_param or irrelevant"},
	check.WrongClassCount:  {reference: "as many classes must be recorded as are expected"},
	check.WrongAttributes:  {"every recorded attribute must equal the expected one; of an object the expected keys are compared", "every expected class and attribute must be recorded and equal; true is not 1"},
	check.MissingEndState:  {reference: "an agent is judged by the state that it leaves, so its rollout must have come to an end"},
}

// ruleOf says what a rule set asks for where it decided.
func ruleOf(r rules.Rules, c dataset.Category, got acebench.Result) string {
	switch {
	case got.Status == acebench.ScorerError:
		return "the reference scorer itself fails on this answer; it counts as wrong unless errors are dropped"
	case got.Valid:
		return passRule(c.Family())
	case got.ErrorType == check.WrongFormat:
		return formatRule(r, c)
	}
	s := ruleSentences[got.ErrorType]
	if r == rules.Strict && s.strict != "" {
		return s.strict
	}
	return s.reference
}

func passRule(f dataset.Family) string {
	switch f {
	case dataset.Special:
		return "the answer holds every part"
	case dataset.Agent:
		return "the end state is the expected one"
	}
	return "the calls meet an alternative of the ground truth"
}

func formatRule(r rules.Rules, c dataset.Category) string {
	switch {
	case r == rules.Strict:
		return "the text, but for one block of reasoning at its front, must be a list of calls with literal values for named arguments"
	case r == rules.Official:
		return "the text without its white space must be a list of calls; nothing may stand around it"
	case c.Dialogues():
		return "in dialogues the whole text without its white space must be a list of calls"
	}
	return "the first balanced block of brackets in the text must be a list of calls"
}
