import type { ChatItem, FinishReason, TokenUsage, ToolCall } from '#shared/chat-item.ts';
import { textOrJson } from '#shared/json.ts';
import type { ErrorBody } from '../../access/http/envelope.ts';
import { lineJson } from '../../access/answers/line-json.ts';

/** The common fields of all chunks of one answer. */
export interface AnswerHead {
  /** The id of the conversation, where DB-GPT's client expects it. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

/** Writes the chunks of one streamed answer, each as JSON. Their shared part is written once. */
export interface ChunkWriter {
  content(text: string): string;
  reasoning(text: string): string;
  refusal(text: string): string;
  toolCall(index: number, call: ToolCall): string;
  /** A chunk without text; `weft.waiting` names the approval that the answer waits for. */
  waiting(item: Extract<ChatItem, { type: 'waiting' }>): string;
  finish(reason: FinishWord): string;
  usage(usage: TokenUsage): string;
  failure(error: ErrorBody['error']): string;
}

/** DB-GPT's client knows the first two; `tool_calls` is for clients that sent tools, the last for OpenAI clients. */
export type FinishWord = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export function createChunkWriter({ id, created, model }: AnswerHead): ChunkWriter {
  const names = { id, object: 'chat.completion.chunk', created, model };
  const head = lineJson(names).slice(0, -1);
  const before = `${head},"choices":[{"index":0,"delta":{"role":"assistant",`;
  const behind = '},"finish_reason":null}]}';
  const last = (reason: FinishWord): string =>
    `${head},"choices":[{"index":0,"delta":{},"finish_reason":"${reason}"}]`;
  return {
    content: (text) => `${before}"content":${lineJson(text)}${behind}`,
    reasoning: (text) => `${before}"reasoning_content":${lineJson(text)}${behind}`,
    refusal: (text) => `${before}"refusal":${lineJson(text)}${behind}`,
    toolCall: (index, call) =>
      `${before}"tool_calls":${lineJson([{ index, ...writtenCall(call) }])}${behind}`,
    waiting: ({ type: _, ...waiting }) =>
      `${head},"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}],"weft":${lineJson({ waiting })}}`,
    finish: (reason) => `${last(reason)}}`,
    usage: (usage) => `${head},"choices":[],"usage":${JSON.stringify(writtenUsage(usage))}}`,
    failure: (error) => `${last('stop')},"error":${lineJson(error)}}`,
  };
}

/** A whole answer. */
export interface Completion {
  readonly text: string;
  readonly reasoning: string;
  /** Its text, if the model declined to answer and the client has a field for that. */
  readonly refusal: string;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishWord;
  readonly usage: TokenUsage;
  /** The model that answered. */
  readonly model: string;
}

/** An answer that is not streamed. Its content is null for tool calls alone, and for a refusal. */
export function completionBody({ id, created }: AnswerHead, answer: Completion): object {
  const { text, reasoning, refusal, calls, finish, usage, model } = answer;
  const message = {
    role: 'assistant',
    content: text === refusal && (refusal !== '' || calls.length > 0) ? null : text,
    ...(refusal !== '' && { refusal }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(writtenCall) }),
  };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: writtenUsage(usage),
  };
}

export function finishWord(
  reason: FinishReason | undefined,
  { calls, openai }: { readonly calls: boolean; readonly openai: boolean },
): FinishWord {
  if (calls) return 'tool_calls';
  if (reason === 'content-filter' && openai) return 'content_filter';
  return reason === 'length' ? 'length' : 'stop';
}

function writtenCall(call: ToolCall): object {
  const { id, name } = call;
  return { id, type: 'function', function: { name, arguments: argumentsText(call) } };
}

export function argumentsText({ arguments: given }: ToolCall): string {
  return textOrJson(given ?? {});
}

export function writtenUsage(usage: TokenUsage): object {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    total_tokens: inputTokens + outputTokens,
    completion_tokens: outputTokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}
