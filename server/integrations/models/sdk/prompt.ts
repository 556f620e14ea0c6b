import type { ModelCall } from '#engine';
import type { ChatMessage, MessagePart, ToolCall } from '#shared/chat-item.ts';
import { dataOf, inlinePart } from '../model-provider.ts';
import type { CallOptions, Prompt } from './types.ts';

/** A call in the form that the SDK's models take. */
export function callOptions(call: ModelCall, abortSignal: AbortSignal): CallOptions {
  const { messages, stop, tools = [], toolChoice, parallelToolCalls } = call;
  return {
    prompt: promptOf(messages),
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

function promptOf(messages: readonly ChatMessage[]): Prompt {
  /** Names of the called tools, which some providers want with the answer. */
  const names = new Map<string, string>();
  return messages.map((message) => {
    for (const { id, name } of callsIn(message)) names.set(id, name);
    return promptMessage(message, names);
  });
}

function callsIn(message: ChatMessage): readonly ToolCall[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

function promptMessage(message: ChatMessage, names: ReadonlyMap<string, string>): Prompt[number] {
  if (message.role === 'tool') {
    const { toolCallId, content: value, name = names.get(toolCallId) ?? 'tool' } = message;
    const output = { type: 'text', value } as const;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: name, output }] };
  }
  const { role, content } = message;
  if (role === 'system') return { role, content };
  const text = { type: 'text', text: content } as const;
  if (role === 'user') return { role, content: message.parts?.map(promptPart) ?? [text] };
  const calls = callsIn(message).map(({ id: toolCallId, name: toolName, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId, toolName, input };
  });
  return { role, content: content === '' && calls.length > 0 ? calls : [text, ...calls] };
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
