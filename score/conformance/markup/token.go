package markup

import (
	"strings"
	"unicode"
)

// Special tokens are a word between <| and |>, such as <|im_end|>, or between the wide bars of DeepSeek. Other things are written so, too: a
// place to fill in a letter, <|customer_name|>, a vector in Dirac's notation, <|v|>, two operators of F#. So the word counts. Those here are
// the special tokens of the tokenizers that are published with the models of each family (added_tokens in tokenizer_config.json), and of
// OpenAI's harmony format; and whatever is made of the same words, since each new model brings new ones.

// tokens are special tokens that do not say that they begin or end something. They are written as [plainWord] makes them.
var tokens = set(
	// roles, and harmony's
	"user assistant system tool developer ipython observation human chatbot environment role hy_user hy_assistant userprompt response",
	"start end channel message constrain call calls return refusal begin content flush open close message_model",
	// calls and what answers them
	"tool_call tool_calls tool_call_name tool_call_args tool_arg_value tool_response tool_result tool_output tool_outputs",
	"python_tag plugin interpreter action function_call content_invoke_tool_json",
	// thought
	"think thinking thought nothink cot",
	// beginnings and ends
	"bos eos eot eom eod pad sep mask unk cls bot",
	"endoftext startoftext endofprompt endofuserprompt endofresponse eot_id eom_id start_header_id end_header_id step_id finetune_right_pad_id",
	// code
	"repo_name fim_hole code_interpreter media_content",
)

// marks are the words for where a part of a text begins, ends or is filled up; places are those for the parts.
var (
	marks  = set("begin start end sep pad mask bos eos eot eom eod im hy fim prefix suffix middle token special reserved unused extra")
	places = set(
		"of no role header turn msg text sentence document file code repo place holder dummy",
		"user assistant system developer tool tools tokens call calls list response result results output outputs argument arguments arg args section",
		"function functions plugin action execute interpreter ipython human chatbot observation environment message channel inner final",
		"think thinking thought reasoning solution answer cot summary review cite citation search query context python output",
		"img image images video vision audio media object ref box quad point patch transcription",
	)
)

// set returns the words of lists with blanks between.
func set(lists ...string) map[string]bool {
	m := make(map[string]bool)
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			m[word] = true
		}
	}
	return m
}

// token returns the special token that a text begins with; "" for none.
func token(text string) string {
	const longest = 64
	text = text[:min(len(text), longest)]
	for _, bar := range []string{"|", "｜"} {
		word, ok := strings.CutPrefix(text, "<"+bar)
		if !ok {
			continue
		}
		word = strings.TrimPrefix(word, "/") // Phi closes so what it opens
		end := strings.IndexFunc(word, func(c rune) bool {
			return !strings.ContainsRune("_▁:", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		})
		if end > 0 && strings.HasPrefix(word[end:], bar+">") && isToken(plainWord(word[:end])) {
			return text[:len(text)-len(word)+end+len(bar+">")]
		}
	}
	return ""
}

// plainWord writes a word in small letters with "_" between its parts.
func plainWord(word string) string { return strings.ToLower(separators.Replace(word)) }

var separators = strings.NewReplacer("▁", "_", ":", "_")

// isToken reports whether a word is that of a special token: one of the list, or several parts of which one is a mark and none is unknown.
// Parts may be numbered.
func isToken(word string) bool {
	if tokens[word] {
		return true
	}
	parts := strings.Split(word, "_")
	marked := false
	for _, part := range parts {
		part = strings.TrimRight(part, "0123456789")
		if part != "" && !marks[part] && !places[part] {
			return false
		}
		marked = marked || marks[part]
	}
	return marked && len(parts) > 1
}
