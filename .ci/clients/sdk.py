"""Asks the questions of a file through the official Python SDKs, whole and streamed, and prints what they made of the answers.

usage: sdk.py QUESTIONS

The SDKs find their server by OPENAI_BASE_URL, ANTHROPIC_BASE_URL and OLLAMA_HOST. One JSON object a line is printed for each call,
in the order of the calls; ids and times, which differ from run to run, are left out. sdk.mjs prints the same.
"""

import json
import sys

import anthropic
import ollama
import openai

MAX_TOKENS = 4096

openai_client = openai.OpenAI(api_key="sk-of-no-use", max_retries=0)
anthropic_client = anthropic.Anthropic(api_key="sk-of-no-use", max_retries=0)
ollama_client = ollama.Client()


def call(name, arguments):
    """A tool call as all SDKs have it in the end: its arguments are an object."""
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    return {"name": name, "arguments": dict(arguments)}


def ask_openai(model, q, stream):
    messages = [{"role": "user", "content": q["user"]}]
    if q["system"] is not None:
        messages.insert(0, {"role": "system", "content": q["system"]})
    kwargs = {"model": model, "messages": messages, "tools": [{"type": "function", "function": t} for t in q["tools"]]}
    if not stream:
        choice = openai_client.chat.completions.create(**kwargs).choices[0]
        calls = [call(c.function.name, c.function.arguments) for c in choice.message.tool_calls or []]
        return choice.finish_reason, choice.message.content, calls
    finish, text, calls = None, "", {}
    for chunk in openai_client.chat.completions.create(stream=True, **kwargs):
        if not chunk.choices:
            continue
        choice = chunk.choices[0]
        finish = choice.finish_reason or finish
        text += choice.delta.content or ""
        for c in choice.delta.tool_calls or []:
            name, arguments = calls.get(c.index, ("", ""))
            calls[c.index] = (name + (c.function.name or ""), arguments + (c.function.arguments or ""))
    return finish, text, [call(*calls[i]) for i in sorted(calls)]


def ask_claude(model, q, stream):
    kwargs = {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": q["user"]}],
        "tools": [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in q["tools"]],
    }
    if q["system"] is not None:
        kwargs["system"] = q["system"]
    if stream:
        with anthropic_client.messages.stream(**kwargs) as events:
            message = events.get_final_message()
    else:
        message = anthropic_client.messages.create(**kwargs)
    text = "".join(b.text for b in message.content if b.type == "text")
    return message.stop_reason, text, [call(b.name, b.input) for b in message.content if b.type == "tool_use"]


def ask_responses(model, q, stream):
    items = [{"role": "user", "content": q["user"]}]
    if q["system"] is not None:
        items.insert(0, {"role": "system", "content": q["system"]})
    kwargs = {"model": model, "input": items, "tools": [{"type": "function", "strict": False, **t} for t in q["tools"]]}
    if stream:
        with openai_client.responses.stream(**kwargs) as events:
            for _ in events:
                pass
            response = events.get_final_response()
    else:
        response = openai_client.responses.create(**kwargs)
    return response.status, response.output_text, [call(i.name, i.arguments) for i in response.output if i.type == "function_call"]


def ask_ollama(model, q, stream):
    messages = [{"role": "user", "content": q["user"]}]
    if q["system"] is not None:
        messages.insert(0, {"role": "system", "content": q["system"]})
    kwargs = {"model": model, "messages": messages, "tools": [{"type": "function", "function": t} for t in q["tools"]]}
    parts = ollama_client.chat(stream=True, **kwargs) if stream else [ollama_client.chat(stream=False, **kwargs)]
    finish, text, calls = None, "", []
    for part in parts:
        finish = part.done_reason or finish
        text += part.message.content or ""
        calls += [call(c.function.name, c.function.arguments) for c in part.message.tool_calls or []]
    return finish, text, calls


ASK = {"openai": ask_openai, "claude": ask_claude, "responses": ask_responses, "ollama": ask_ollama}


def ask(model, q, api, stream):
    result = {"question": q["name"], "model": model, "api": api, "stream": stream}
    try:
        finish, text, calls = ASK[api](model, q, stream)
    except (openai.APIStatusError, anthropic.APIStatusError, ollama.ResponseError) as e:
        return {**result, "error": e.status_code}
    return {**result, "finish": finish, "text": text or "", "calls": calls}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        asked = json.load(f)
    questions = [(asked["model"], q) for q in asked["questions"]]
    questions.append(("no/such-model", asked["questions"][0]))
    for model, q in questions:
        for api in ASK:
            for stream in (False, True):
                print(json.dumps(ask(model, q, api, stream), ensure_ascii=False, sort_keys=True))


main()
