import type { ModelCall } from '#engine';
import type { ChatMessage, ToolCall } from '#shared/chat-item.ts';
import type { CallOptions, Prompt } from './types.ts';

/** A call as the SDK's models take it. */
export function callOptions(call: ModelCall, abortSignal: AbortSignal): CallOptions {
  const { messages, temperature, maxTokens, topP, stop, tools, toolChoice, schema } = call;
  return {
    prompt: promptOf(messages),
    abortSignal,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(topP !== undefined && { topP }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(schema !== undefined && { responseFormat: { type: 'json', schema, name: 'answer' } }),
    ...(tools !== undefined &&
      tools.length > 0 && {
        tools: tools.map(({ name, description, parameters: inputSchema }) => {
          return { type: 'function' as const, name, description, inputSchema };
        }),
        ...(toolChoice !== undefined && { toolChoice: { type: toolChoice } }),
      }),
  };
}

function promptOf(messages: readonly ChatMessage[]): Prompt {
  /** Names of the tools that were called, which some providers want with the answer. */
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
  if (role === 'user') return { role, content: [text] };
  const calls = callsIn(message).map(({ id: toolCallId, name: toolName, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId, toolName, input };
  });
  return { role, content: content === '' && calls.length > 0 ? calls : [text, ...calls] };
}
