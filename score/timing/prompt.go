package timing

// Prompt is a class of prompts by their size in tokens, as the answer tells it.
type Prompt string

// unknownPrompt is the class of prompts whose size no answer tells.
const unknownPrompt Prompt = "unknown"

// prompts lists the classes by their largest size.
var prompts = []struct {
	most  int64
	class Prompt
}{
	{256, "to 256"},
	{1 << 10, "to 1k"},
	{4 << 10, "to 4k"},
	{16 << 10, "to 16k"},
	{64 << 10, "to 64k"},
}

// largePrompt is the class of those beyond.
const largePrompt Prompt = "over 64k"

func promptOf(tokens *int64) Prompt {
	if tokens == nil {
		return unknownPrompt
	}
	for _, p := range prompts {
		if *tokens <= p.most {
			return p.class
		}
	}
	return largePrompt
}

// order is the place of a class among all, by size.
func (p Prompt) order() int {
	for i := range prompts {
		if prompts[i].class == p {
			return i
		}
	}
	if p == largePrompt {
		return len(prompts)
	}
	return len(prompts) + 1
}
