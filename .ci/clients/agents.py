"""Lets agents carry out the tasks of agents.json through the official Python SDKs: they call tools, give the results, and go on until an
answer calls none. Each task is done whole and streamed, through every API.

usage: agents.py agents.json

The SDKs find their server by OPENAI_BASE_URL, ANTHROPIC_BASE_URL and OLLAMA_HOST. One JSON object a line is printed for each task, with
the calls and the last text. agents.mjs does and prints the same.
"""

import base64
import json
import sys

import anthropic
import ollama
import openai

MAX_TOKENS = 4096
MAX_STEPS = 8
# A red dot.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

openai_client = openai.OpenAI(api_key="sk-of-no-use", max_retries=0)
anthropic_client = anthropic.Anthropic(api_key="sk-of-no-use", max_retries=0)
ollama_client = ollama.Client()


def functions(asked, task, **more):
    for name in task.get("tools", []):
        tool = asked["tools"][name]
        strict = {"strict": True} if tool.get("strict") else {}
        yield {"name": name, "description": tool["description"], "parameters": tool["parameters"], **strict, **more}


def openai_options(task, named):
    """What the APIs of OpenAI share. named makes a tool_choice of the name of a tool."""
    choice = task.get("choice")
    options = {}
    if choice:
        options["tool_choice"] = choice if choice in ("required", "none") else named(choice)
    if task.get("single"):
        options["parallel_tool_calls"] = False
    return options


class Chat:
    """Chat Completions."""

    def __init__(self, asked, task, stream):
        self.stream = stream
        self.messages = [{"role": "system", "content": task["system"]}] if "system" in task else []
        self.options = openai_options(task, lambda name: {"type": "function", "function": {"name": name}})
        self.options["model"] = asked["model"]
        self.options["max_completion_tokens"] = task.get("limit", MAX_TOKENS)
        self.options["temperature"] = 0
        if "tools" in task:
            self.options["tools"] = [{"type": "function", "function": f} for f in functions(asked, task)]
        self.image = task.get("image")

    def user(self, text):
        content = text
        if self.image:
            content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]
        self.messages.append({"role": "user", "content": content})

    def ask(self):
        kwargs = {"messages": self.messages, **self.options}
        if self.stream:
            message = {"role": "assistant", "content": "", "tool_calls": []}
            for chunk in openai_client.chat.completions.create(stream=True, **kwargs):
                for choice in chunk.choices:
                    self.add(message, choice.delta)
            if not message["tool_calls"]:
                del message["tool_calls"]
        else:
            message = openai_client.chat.completions.create(**kwargs).choices[0].message.to_dict()
        self.messages.append(message)
        calls = [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in message.get("tool_calls") or []]
        return message.get("content") or "", calls

    @staticmethod
    def add(message, delta):
        message["content"] += delta.content or ""
        for c in delta.tool_calls or []:
            if c.index == len(message["tool_calls"]):
                message["tool_calls"].append({"id": c.id, "type": "function", "function": {"name": "", "arguments": ""}})
            function = message["tool_calls"][c.index]["function"]
            function["name"] += c.function.name or ""
            function["arguments"] += c.function.arguments or ""

    def results(self, results):
        for call_id, _, result in results:
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": result})


class Claude:
    """Claude Messages. Results are lists of blocks."""

    def __init__(self, asked, task, stream):
        self.stream = stream
        self.messages = []
        self.options = {"model": asked["model"], "max_tokens": task.get("limit", MAX_TOKENS)}
        if "system" in task:
            self.options["system"] = [{"type": "text", "text": task["system"], "cache_control": {"type": "ephemeral"}}]
        if task.get("thinking"):
            self.options["thinking"] = {"type": "enabled", "budget_tokens": 1024}
        else:
            self.options["extra_body"] = {"temperature": 0}  # the SDK has no name for it
        if "tools" in task:
            self.options["tools"] = [
                {"name": f["name"], "description": f["description"], "input_schema": f["parameters"]} for f in functions(asked, task)
            ]
        choice = task.get("choice")
        if choice or task.get("single"):
            named = {None: {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}
            self.options["tool_choice"] = named.get(choice) or {"type": "tool", "name": choice}
        if task.get("single"):
            self.options["tool_choice"]["disable_parallel_tool_use"] = True
        self.image = task.get("image")

    def user(self, text):
        content = text
        if self.image:
            source = {"type": "base64", "media_type": "image/png", "data": PNG}
            content = [{"type": "image", "source": source}, {"type": "text", "text": text}]
        self.messages.append({"role": "user", "content": content})

    def ask(self):
        kwargs = {"messages": self.messages, **self.options}
        if self.stream:
            with anthropic_client.messages.stream(**kwargs) as events:
                message = events.get_final_message()
        else:
            message = anthropic_client.messages.create(**kwargs)
        # A block without text is no message that may be sent back.
        content = [b for b in message.content if b.type != "text" or b.text]
        self.messages.append({"role": "assistant", "content": content})
        calls = [(b.id, b.name, b.input) for b in content if b.type == "tool_use"]
        return "".join(b.text for b in content if b.type == "text"), calls

    def results(self, results):
        blocks = []
        for call_id, _, result in results:
            block = {"type": "tool_result", "tool_use_id": call_id}
            if result:
                block["content"] = [{"type": "text", "text": result}]
            blocks.append(block)
        self.messages.append({"role": "user", "content": blocks})


class Responses:
    """OpenAI Responses. All items of an answer are sent back with the results."""

    def __init__(self, asked, task, stream):
        self.stream = stream
        self.items = []
        self.options = openai_options(task, lambda name: {"type": "function", "name": name})
        self.options["model"] = asked["model"]
        self.options["max_output_tokens"] = task.get("limit", MAX_TOKENS)
        if "system" in task:
            self.options["instructions"] = task["system"]
        if task.get("thinking"):
            self.options["reasoning"] = {"effort": "low", "summary": "auto"}
        else:
            self.options["temperature"] = 0
        if "tools" in task:
            self.options["tools"] = [{"type": "function", "strict": False, **f} for f in functions(asked, task)]
        self.image = task.get("image")

    def user(self, text):
        content = text
        if self.image:
            image = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PNG}"}
            content = [{"type": "input_text", "text": text}, image]
        self.items.append({"role": "user", "content": content})

    def ask(self):
        kwargs = {"input": self.items, **self.options}
        if self.stream:
            with openai_client.responses.stream(**kwargs) as events:
                response = events.get_final_response()
        else:
            response = openai_client.responses.create(**kwargs)
        self.items += [item.to_dict() for item in response.output]
        calls = [(i.call_id, i.name, json.loads(i.arguments)) for i in response.output if i.type == "function_call"]
        return response.output_text, calls

    def results(self, results):
        for call_id, _, result in results:
            self.items.append({"type": "function_call_output", "call_id": call_id, "output": result})


class Ollama:
    """Ollama's chat, whose results have a name and no id."""

    def __init__(self, asked, task, stream):
        self.stream = stream
        self.messages = [{"role": "system", "content": task["system"]}] if "system" in task else []
        self.options = {"model": asked["model"], "options": {"num_predict": task.get("limit", MAX_TOKENS), "temperature": 0}}
        if task.get("thinking"):
            self.options["think"] = True
        if "tools" in task:
            self.options["tools"] = [{"type": "function", "function": f} for f in functions(asked, task)]
        self.image = task.get("image")

    def user(self, text):
        message = {"role": "user", "content": text}
        if self.image:
            message["images"] = [base64.b64decode(PNG)]
        self.messages.append(message)

    def ask(self):
        kwargs = {"messages": self.messages, **self.options}
        parts = ollama_client.chat(stream=True, **kwargs) if self.stream else [ollama_client.chat(**kwargs)]
        message = {"role": "assistant", "content": "", "tool_calls": []}
        for part in parts:
            message["content"] += part.message.content or ""
            for c in part.message.tool_calls or []:
                message["tool_calls"].append({"function": {"name": c.function.name, "arguments": dict(c.function.arguments)}})
        self.messages.append(message)
        return message["content"], [(None, c["function"]["name"], c["function"]["arguments"]) for c in message["tool_calls"]]

    def results(self, results):
        for _, name, result in results:
            self.messages.append({"role": "tool", "tool_name": name, "content": result})


def carry_out(asked, task, agent):
    """Returns all calls and the last text."""
    made, text = [], ""
    for turn in task["turns"]:
        agent.user(turn["user"])
        for _ in range(MAX_STEPS):
            text, calls = agent.ask()
            made += [{"name": name, "arguments": arguments} for _, name, arguments in calls]
            if not calls:
                break
            agent.results([(call_id, name, asked["tools"][name]["result"]) for call_id, name, _ in calls])
            if task.get("choice") not in (None, "none"):
                break  # it would be made to call for ever
    return made, text


def main(path):
    with open(path, encoding="utf-8") as f:
        asked = json.load(f)
    for api in (Chat, Claude, Responses, Ollama):
        for task in asked["tasks"]:
            for stream in (False, True):
                calls, text = carry_out(asked, task, api(asked, task, stream))
                result = {"api": api.__name__, "task": task["name"], "stream": stream, "calls": calls, "text": text}
                print(json.dumps(result, ensure_ascii=False, sort_keys=True), flush=True)


main(sys.argv[1])
