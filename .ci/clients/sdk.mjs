// Asks the questions of a file through the official JavaScript SDKs, as sdk.py does through those for Python, and prints the same.
//
// usage: node sdk.mjs QUESTIONS

import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { Ollama } from "ollama";
import OpenAI from "openai";

const MAX_TOKENS = 4096;

const openai = new OpenAI({ apiKey: "sk-of-no-use", maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: "sk-of-no-use", maxRetries: 0 });
const ollama = new Ollama({ host: process.env.OLLAMA_HOST });

// A tool call as all SDKs have it in the end: its arguments are an object.
function call(name, args) {
  return { arguments: typeof args === "string" ? JSON.parse(args) : args, name };
}

function chatMessages(q) {
  const system = q.system === null ? [] : [{ role: "system", content: q.system }];
  return [...system, { role: "user", content: q.user }];
}

async function askOpenAI(model, q, stream) {
  const body = { model, messages: chatMessages(q), tools: q.tools.map((t) => ({ type: "function", function: t })) };
  if (!stream) {
    const [choice] = (await openai.chat.completions.create(body)).choices;
    const calls = (choice.message.tool_calls ?? []).map((c) => call(c.function.name, c.function.arguments));
    return [choice.finish_reason, choice.message.content, calls];
  }
  let finish = null;
  let text = "";
  const calls = [];
  for await (const chunk of await openai.chat.completions.create({ ...body, stream: true })) {
    const choice = chunk.choices[0];
    if (!choice) continue;
    finish = choice.finish_reason ?? finish;
    text += choice.delta.content ?? "";
    for (const c of choice.delta.tool_calls ?? []) {
      const known = (calls[c.index] ??= { name: "", arguments: "" });
      known.name += c.function.name ?? "";
      known.arguments += c.function.arguments ?? "";
    }
  }
  return [finish, text, calls.map((c) => call(c.name, c.arguments))];
}

async function askClaude(model, q, stream) {
  const body = {
    model,
    max_tokens: MAX_TOKENS,
    messages: [{ role: "user", content: q.user }],
    tools: q.tools.map((t) => ({ name: t.name, description: t.description, input_schema: t.parameters })),
    ...(q.system === null ? {} : { system: q.system }),
  };
  const message = await (stream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body));
  const text = message.content.filter((b) => b.type === "text").map((b) => b.text).join("");
  return [message.stop_reason, text, message.content.filter((b) => b.type === "tool_use").map((b) => call(b.name, b.input))];
}

async function askResponses(model, q, stream) {
  const body = { model, input: chatMessages(q), tools: q.tools.map((t) => ({ type: "function", strict: false, ...t })) };
  const response = await (stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body));
  const texts = response.output.filter((i) => i.type === "message").flatMap((i) => i.content.map((part) => part.text));
  return [response.status, texts.join(""), response.output.filter((i) => i.type === "function_call").map((i) => call(i.name, i.arguments))];
}

async function askOllama(model, q, stream) {
  const body = { model, messages: chatMessages(q), tools: q.tools.map((t) => ({ type: "function", function: t })) };
  const parts = stream ? await ollama.chat({ ...body, stream: true }) : [await ollama.chat({ ...body, stream: false })];
  let finish = null;
  let text = "";
  const calls = [];
  for await (const part of parts) {
    finish = part.done_reason ?? finish;
    text += part.message.content ?? "";
    calls.push(...(part.message.tool_calls ?? []).map((c) => call(c.function.name, c.function.arguments)));
  }
  return [finish, text, calls];
}

const ASK = { openai: askOpenAI, claude: askClaude, responses: askResponses, ollama: askOllama };

async function ask(model, q, api, stream) {
  const result = { question: q.name, model, api, stream };
  try {
    const [finish, text, calls] = await ASK[api](model, q, stream);
    return { ...result, finish, text: text ?? "", calls };
  } catch (e) {
    const error = e.status ?? e.status_code;
    if (error === undefined) throw e;
    return { ...result, error };
  }
}

const asked = JSON.parse(readFileSync(process.argv[2], "utf8"));
const questions = asked.questions.map((q) => [asked.model, q]);
questions.push(["no/such-model", asked.questions[0]]);
for (const [model, q] of questions) {
  for (const api of Object.keys(ASK)) {
    for (const stream of [false, true]) {
      console.log(JSON.stringify(await ask(model, q, api, stream)));
    }
  }
}
