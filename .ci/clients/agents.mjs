// Lets agents carry out the tasks of agents.json through the official JavaScript SDKs, as agents.py does through those for Python, and
// prints the same.
//
// usage: node agents.mjs agents.json

import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { Ollama } from "ollama";
import OpenAI from "openai";

const MAX_TOKENS = 4096;
const MAX_STEPS = 8;
// A red dot.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const openai = new OpenAI({ apiKey: "sk-of-no-use", maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: "sk-of-no-use", maxRetries: 0 });
const ollama = new Ollama({ host: process.env.OLLAMA_HOST });

function functions(asked, task) {
  return (task.tools ?? []).map((name) => {
    const { description, parameters, strict } = asked.tools[name];
    return { name, description, parameters, ...(strict ? { strict } : {}) };
  });
}

// What the APIs of OpenAI share. named makes a tool_choice of the name of a tool.
function openaiOptions(task, named) {
  const options = {};
  if (task.choice) options.tool_choice = ["required", "none"].includes(task.choice) ? task.choice : named(task.choice);
  if (task.single) options.parallel_tool_calls = false;
  return options;
}

// Chat Completions.
class Chat {
  constructor(asked, task, stream) {
    this.stream = stream;
    this.image = task.image;
    this.messages = task.system ? [{ role: "system", content: task.system }] : [];
    this.options = {
      model: asked.model,
      max_completion_tokens: task.limit ?? MAX_TOKENS,
      temperature: 0,
      ...openaiOptions(task, (name) => ({ type: "function", function: { name } })),
      ...(task.tools ? { tools: functions(asked, task).map((f) => ({ type: "function", function: f })) } : {}),
    };
  }

  user(text) {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } };
    this.messages.push({ role: "user", content: this.image ? [{ type: "text", text }, image] : text });
  }

  async ask() {
    const body = { messages: this.messages, ...this.options };
    const completion = this.stream
      ? await openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
      : await openai.chat.completions.create(body);
    const { message } = completion.choices[0];
    this.messages.push(message);
    const calls = (message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, arguments: JSON.parse(c.function.arguments) }));
    return [message.content ?? "", calls];
  }

  results(results) {
    this.messages.push(...results.map((r) => ({ role: "tool", tool_call_id: r.id, content: r.result })));
  }
}

// Claude Messages. Results are lists of blocks.
class Claude {
  constructor(asked, task, stream) {
    this.stream = stream;
    this.image = task.image;
    this.messages = [];
    this.options = {
      model: asked.model,
      max_tokens: task.limit ?? MAX_TOKENS,
      ...(task.system ? { system: [{ type: "text", text: task.system, cache_control: { type: "ephemeral" } }] } : {}),
      ...(task.thinking ? { thinking: { type: "enabled", budget_tokens: 1024 } } : { temperature: 0 }),
    };
    if (task.tools) {
      this.options.tools = functions(asked, task).map((f) => ({ name: f.name, description: f.description, input_schema: f.parameters }));
    }
    if (task.choice || task.single) {
      const words = { required: { type: "any" }, none: { type: "none" } };
      this.options.tool_choice = task.choice ? (words[task.choice] ?? { type: "tool", name: task.choice }) : { type: "auto" };
      if (task.single) this.options.tool_choice.disable_parallel_tool_use = true;
    }
  }

  user(text) {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
    this.messages.push({ role: "user", content: this.image ? [image, { type: "text", text }] : text });
  }

  async ask() {
    const body = { messages: this.messages, ...this.options };
    const message = await (this.stream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body));
    // A block without text is no message that may be sent back.
    const content = message.content.filter((b) => b.type !== "text" || b.text);
    this.messages.push({ role: "assistant", content });
    const calls = content.filter((b) => b.type === "tool_use").map((b) => ({ id: b.id, name: b.name, arguments: b.input }));
    return [content.filter((b) => b.type === "text").map((b) => b.text).join(""), calls];
  }

  results(results) {
    const content = results.map((r) => ({
      type: "tool_result",
      tool_use_id: r.id,
      ...(r.result ? { content: [{ type: "text", text: r.result }] } : {}),
    }));
    this.messages.push({ role: "user", content });
  }
}

// OpenAI Responses. All items of an answer are sent back with the results.
class Responses {
  constructor(asked, task, stream) {
    this.stream = stream;
    this.image = task.image;
    this.items = [];
    this.options = {
      model: asked.model,
      max_output_tokens: task.limit ?? MAX_TOKENS,
      ...openaiOptions(task, (name) => ({ type: "function", name })),
      ...(task.system ? { instructions: task.system } : {}),
      ...(task.thinking ? { reasoning: { effort: "low", summary: "auto" } } : { temperature: 0 }),
      ...(task.tools ? { tools: functions(asked, task).map((f) => ({ type: "function", strict: false, ...f })) } : {}),
    };
  }

  user(text) {
    const image = { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` };
    this.items.push({ role: "user", content: this.image ? [{ type: "input_text", text }, image] : text });
  }

  async ask() {
    const body = { input: this.items, ...this.options };
    const response = await (this.stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body));
    // What the SDK adds to an answer is no part of it.
    this.items.push(...response.output.map(({ parsed_arguments, ...item }) => item));
    const calls = response.output.filter((i) => i.type === "function_call");
    const texts = response.output.filter((i) => i.type === "message").flatMap((i) => i.content.map((part) => part.text));
    return [texts.join(""), calls.map((c) => ({ id: c.call_id, name: c.name, arguments: JSON.parse(c.arguments) }))];
  }

  results(results) {
    this.items.push(...results.map((r) => ({ type: "function_call_output", call_id: r.id, output: r.result })));
  }
}

// Ollama's chat, whose results have a name and no id.
class OllamaChat {
  constructor(asked, task, stream) {
    this.stream = stream;
    this.image = task.image;
    this.messages = task.system ? [{ role: "system", content: task.system }] : [];
    this.options = {
      model: asked.model,
      options: { num_predict: task.limit ?? MAX_TOKENS, temperature: 0 },
      ...(task.thinking ? { think: true } : {}),
      ...(task.tools ? { tools: functions(asked, task).map((f) => ({ type: "function", function: f })) } : {}),
    };
  }

  user(content) {
    this.messages.push({ role: "user", content, ...(this.image ? { images: [PNG] } : {}) });
  }

  async ask() {
    const body = { messages: this.messages, ...this.options };
    const parts = this.stream ? await ollama.chat({ ...body, stream: true }) : [await ollama.chat({ ...body, stream: false })];
    const message = { role: "assistant", content: "", tool_calls: [] };
    for await (const part of parts) {
      message.content += part.message.content ?? "";
      message.tool_calls.push(...(part.message.tool_calls ?? []));
    }
    this.messages.push(message);
    return [message.content, message.tool_calls.map((c) => ({ name: c.function.name, arguments: c.function.arguments }))];
  }

  results(results) {
    this.messages.push(...results.map((r) => ({ role: "tool", tool_name: r.name, content: r.result })));
  }
}

// Returns all calls and the last text.
async function carryOut(asked, task, agent) {
  const made = [];
  let text = "";
  for (const turn of task.turns) {
    agent.user(turn.user);
    for (let step = 0; step < MAX_STEPS; step++) {
      const [said, calls] = await agent.ask();
      text = said;
      made.push(...calls.map((c) => ({ arguments: c.arguments, name: c.name })));
      if (calls.length === 0) break;
      agent.results(calls.map((c) => ({ ...c, result: asked.tools[c.name].result })));
      if (task.choice && task.choice !== "none") break; // it would be made to call for ever
    }
  }
  return [made, text];
}

const asked = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const [api, Agent] of Object.entries({ Chat, Claude, Responses, Ollama: OllamaChat })) {
  for (const task of asked.tasks) {
    for (const stream of [false, true]) {
      const [calls, text] = await carryOut(asked, task, new Agent(asked, task, stream));
      console.log(JSON.stringify({ api, calls, stream, task: task.name, text }));
    }
  }
}
