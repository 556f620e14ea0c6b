import type { ModelCall } from '#engine';
import type { ChatMessage, MessagePart, ToolCall } from '#shared/chat-item.ts';
import { textOrJson } from '#shared/json.ts';
import { inlinePart } from '../model-provider.ts';
import type { ModelTarget } from '../model-provider.ts';
import { thoughtsBefore } from './kept-thoughts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** OpenAI's reasoning models, which refuse `max_tokens`, even behind a gateway's prefix or as a fine-tuned model. */
const REASONING = /(?:^|[/:])(?:o\d|gpt-5)/;

/**
 * Completes the body that the SDK has written for an OpenAI chat request: adds settings without a field in the common request
 * format of the SDK.
 */
export function openAiBody(body: Fields, target: ModelTarget, call: ModelCall): Record<string, unknown> {
  const { max_tokens: most, response_format: format, ...rest } = body;
  const isReasoning = target.reasoning ?? REASONING.test(target.model);
  const { logitBias, reasoningEffort, verbosity, parallelToolCalls, tools = [] } = call;
  return present({
    ...rest,
    [isReasoning ? 'max_completion_tokens' : 'max_tokens']: most,
    response_format: formatOf(call, format),
    logit_bias: logitBias,
    reasoning_effort: reasoningEffort,
    verbosity,
    parallel_tool_calls: tools.length > 0 ? parallelToolCalls : undefined,
    messages: call.messages.map((message) => openAiMessage(message, target.id)),
  });
}

function present(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function formatOf({ schema, schemaName, schemaStrict }: ModelCall, format: unknown): unknown {
  if (schema === undefined) return format;
  const json_schema = { name: schemaName ?? 'answer', schema, strict: schemaStrict ?? true };
  return { type: 'json_schema', json_schema };
}

function openAiMessage(message: ChatMessage, model: string): Fields {
  const { role, content } = message;
  const name = role === 'tool' ? undefined : message.name;
  const base = { role, ...(name !== undefined && { name }) };
  if (role === 'tool') return { ...base, tool_call_id: message.toolCallId, content };
  if (role === 'user') return { ...base, content: message.parts?.map(openAiPart) ?? content };
  const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
  if (calls.length === 0) return { ...base, content };
  return {
    ...base,
    content: content === '' ? null : content,
    tool_calls: calls.map((call) => openAiCall(call, model)),
  };
}

function openAiPart(given: MessagePart): Fields {
  const part = inlinePart(given);
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') {
    const { url, detail } = part;
    return { type: 'image_url', image_url: { url, ...(detail && { detail }) } };
  }
  const { data, filename = 'file' } = part;
  return { type: 'file', file: { filename, file_data: data } };
}

function openAiCall(call: ToolCall, model: string): Fields {
  const { id, name, arguments: given } = call;
  const signed = Object.values(thoughtsBefore(model, call)?.metadata ?? {});
  const thought_signature = signed.map(({ thoughtSignature }) => thoughtSignature).find(Boolean);
  return {
    id,
    type: 'function',
    function: { name, arguments: textOrJson(given ?? {}) },
    // Gemini behind OpenAI's protocol.
    ...(thought_signature !== undefined && { extra_content: { google: { thought_signature } } }),
  };
}
