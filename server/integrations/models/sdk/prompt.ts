import type { ModelCall } from '#engine';
import type { ChatMessage, MessagePart, ToolCall } from '#shared/chat-item.ts';
import { dataOf, inlinePart } from '../model-provider.ts';
import { callsIn, thoughtsBefore } from './kept-thoughts.ts';
import type { CallOptions, Prompt } from './types.ts';

/** A call in the format of the SDK's models. `model`: its full name. */
export function callOptions(call: ModelCall, model: string, abortSignal: AbortSignal): CallOptions {
  const { messages, stop, tools = [], toolChoice, parallelToolCalls } = call;
  return {
    prompt: promptOf(messages, model),
    abortSignal,
    ...samplingOf(call),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(parallelToolCalls === false && { providerOptions: { anthropic: { disableParallelToolUse: true } } }),
    ...formatOf(call),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters: inputSchema, strict }) => {
        const tool = { type: 'function' as const, name, description, inputSchema };
        return strict === undefined ? tool : { ...tool, strict };
      }),
      ...(toolChoice !== undefined && { toolChoice: { type: toolChoice } }),
    }),
  };
}

function samplingOf(call: ModelCall): Partial<CallOptions> {
  const { temperature, maxTokens, topP, seed, presencePenalty, frequencyPenalty, reasoningEffort } = call;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
  };
}

function formatOf({ schema, schemaName, json }: ModelCall): Pick<CallOptions, 'responseFormat'> {
  if (schema !== undefined) return { responseFormat: { type: 'json', schema, name: schemaName ?? 'answer' } };
  return json === true ? { responseFormat: { type: 'json' } } : {};
}

function promptOf(messages: readonly ChatMessage[], model: string): Prompt {
  /** Names of the called tools, which some providers require with the result. */
  const names = new Map<string, string>();
  return messages.map((message) => {
    for (const { id, name } of callsIn(message)) names.set(id, name);
    return promptMessage(message, names, model);
  });
}

function promptMessage(
  message: ChatMessage,
  names: ReadonlyMap<string, string>,
  model: string,
): Prompt[number] {
  if (message.role === 'tool') {
    const { toolCallId, content: value, name = names.get(toolCallId) ?? 'tool' } = message;
    const output = { type: 'text', value } as const;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: name, output }] };
  }
  const { role, content } = message;
  if (role === 'system') return { role, content };
  const text = { type: 'text', text: content } as const;
  if (role === 'user') return { role, content: message.parts?.map(promptPart) ?? [text] };
  const [first = [], ...others] = callsIn(message).map((call) => promptCall(call, model));
  if (content === '' && first.length > 0) return { role, content: [...first, ...others.flat()] };
  const at = first.length - 1;
  return { role, content: [...first.slice(0, at), text, ...first.slice(at), ...others.flat()] };
}

type AssistantPart = Extract<Prompt[number], { role: 'assistant' }>['content'][number];

/** A call, with the signed thoughts that led to it before it. */
function promptCall(call: ToolCall, model: string): AssistantPart[] {
  const { id: toolCallId, name: toolName, arguments: input } = call;
  const kept = thoughtsBefore(model, call);
  const thoughts = (kept?.thoughts ?? []).map(({ text, metadata: providerOptions }) => {
    return { type: 'reasoning' as const, text, providerOptions };
  });
  const signed = kept?.metadata && { providerOptions: kept.metadata };
  return [...thoughts, { type: 'tool-call', toolCallId, toolName, input, ...signed }];
}

type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];

function promptPart(given: MessagePart): UserPart {
  const part = inlinePart(given);
  if (part.type === 'text') return { type: 'text', text: part.text };
  const address = part.type === 'image' ? part.url : part.data;
  if (!address.startsWith('data:'))
    return { type: 'file', mediaType: 'image', data: { type: 'url', url: new URL(address) } };
  const { type: mediaType, data } = dataOf(part.type, address);
  const filename = part.type === 'file' ? part.filename : undefined;
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data },
    ...(filename !== undefined && { filename }),
  };
}
