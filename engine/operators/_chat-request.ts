import { z } from 'zod';
import {
  ANSWER_SETTINGS,
  type AnswerSettings,
  type ChatMessage,
  type ChatTool,
  FILE_WAYS,
  type FileWay,
  type MessagePart,
  REASONING_EFFORTS,
  type StoredPart,
  storedPart,
  type ToolCall,
} from '#shared/chat-item.ts';
import { FileValue } from '#shared/file.ts';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { WeftError } from '../base/operator.ts';
import { reading } from './_record.ts';

/**
 * A request for a model, as the operators for models and prompts pass it on. The output of `trigger.chat` is one; so is a
 * text, a list of messages, and a body from OpenAI's clients or from the original's.
 */
export interface ChatRequest extends AnswerSettings {
  /** The last message of the user. */
  readonly text: string;
  /** The messages from the user's last one on, and instructions. */
  readonly messages: readonly ChatMessage[];
  /** Earlier messages, oldest first. */
  readonly history: readonly ChatMessage[];
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** How files reach the model. */
  readonly documents?: FileWay;
}

const MAX_MESSAGES = 10_000;

const roles = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  tool: 'tool',
} as const;

/** Parts as in `ChatMessage`, and in OpenAI's format. */
const part = z.union([
  z
    .object({
      type: z.enum(['image', 'file']),
      file: FileValue,
      detail: z.enum(['auto', 'low', 'high']).optional(),
    })
    .transform(
      ({ type, file, detail }): StoredPart => ({ type, file, ...(detail !== undefined && { detail }) }),
    ),
  z
    .looseObject({ type: z.literal('text'), text: z.string() })
    .transform(({ text }) => ({ type: 'text' as const, text })),
  z.object({ type: z.literal('image'), url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
  z
    .looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) })
    .transform(({ image_url: { url } }) => ({ type: 'image' as const, url })),
  z.object({ type: z.literal('file'), data: z.string(), filename: z.string().optional() }),
  z
    .looseObject({
      type: z.literal('file'),
      file: z.looseObject({ file_data: z.string(), filename: z.string().optional() }),
    })
    .transform(({ file: { file_data: data, filename } }) => {
      return { type: 'file' as const, data, ...(filename !== undefined && { filename }) };
    }),
]);
const content = z
  .union([z.string(), z.array(part)])
  .nullish()
  .transform((given) => given ?? '');

const toolCall = z.union([
  z.object({ id: z.string(), name: z.string(), arguments: z.unknown().default({}) }),
  z
    .looseObject({
      id: z.string(),
      function: z.looseObject({ name: z.string(), arguments: z.string().default('') }),
    })
    .transform(({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      arguments: parsed(text === '' ? '{}' : text),
    })),
]);

const message = z
  .object({
    role: z.enum(Object.keys(roles) as (keyof typeof roles)[]),
    content,
    parts: z.array(part).optional(),
    toolCalls: z.array(toolCall).optional(),
    tool_calls: z.array(toolCall).optional(),
    toolCallId: z.string().optional(),
    tool_call_id: z.string().optional(),
    name: z.string().optional(),
  })
  .transform((given): ChatMessage => {
    const role = roles[given.role];
    const { toolCalls = given.tool_calls, toolCallId = given.tool_call_id ?? '', name } = given;
    const { text, parts } = contentOf(given);
    const base = { content: text, ...(name !== undefined && { name }) };
    if (role === 'tool') return { role, ...base, toolCallId };
    if (role === 'user') return { role, ...base, ...(parts && { parts }) };
    if (role === 'system' || !toolCalls) return { role, ...base };
    return { role, ...base, toolCalls: toolCalls as ToolCall[] };
  });

/** Parts are kept only if there is more than text. */
function contentOf({
  content: given,
  parts = typeof given === 'string' ? undefined : given,
}: {
  readonly content: string | readonly z.output<typeof part>[];
  readonly parts?: readonly z.output<typeof part>[] | undefined;
}): { readonly text: string; readonly parts: readonly MessagePart[] | undefined } {
  if (parts === undefined) return { text: given as string, parts };
  const all = parts as readonly MessagePart[];
  const text =
    typeof given === 'string' ? given : all.map((one) => (one.type === 'text' ? one.text : '')).join('');
  return { text, parts: all.some(({ type }) => type !== 'text') ? all : undefined };
}

const oneMessage = z.union([
  z.string().transform((text): ChatMessage => ({ role: 'user', content: text })),
  message,
]);
const messages = z.union([
  z.string().transform((text): ChatMessage[] => [{ role: 'user', content: text }]),
  z.array(oneMessage),
]);

const optional = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? undefined);

const body = z.object({
  messages,
  history: z.array(oneMessage).default([]),
  model: optional(z.string()),
  stream: optional(z.boolean()),
  stop: optional(z.union([z.string().transform((word) => [word]), z.array(z.string())])),
  tools: optional(
    z.array(z.custom<ChatTool>((tool) => typeof tool === 'object' && tool !== null && 'name' in tool)),
  ),
  toolChoice: optional(z.enum(['auto', 'none', 'required'])),
  documents: optional(z.enum(FILE_WAYS)),
  schema: optional(z.record(z.string(), z.unknown())),
  schemaName: optional(z.string()),
  schemaStrict: optional(z.boolean()),
  json: optional(z.boolean()),
  temperature: optional(z.number()),
  seed: optional(z.int()),
  verbosity: optional(z.enum(['low', 'medium', 'high'])),
  maxTokens: optional(z.int()),
  max_tokens: optional(z.int()),
  max_new_tokens: optional(z.int()),
  max_completion_tokens: optional(z.int()),
  topP: optional(z.number()),
  top_p: optional(z.number()),
  presencePenalty: optional(z.number()),
  presence_penalty: optional(z.number()),
  frequencyPenalty: optional(z.number()),
  frequency_penalty: optional(z.number()),
  logitBias: optional(z.record(z.string(), z.number())),
  logit_bias: optional(z.record(z.string(), z.number())),
  reasoningEffort: optional(z.enum(REASONING_EFFORTS)),
  reasoning_effort: optional(z.enum(REASONING_EFFORTS)),
  parallelToolCalls: optional(z.boolean()),
  parallel_tool_calls: optional(z.boolean()),
});

/**
 * Parses a value as a request. An object with a `text` and no messages, such as a model's answer, counts as its text.
 * @throws WeftError `bad_input`.
 */
export function readRequest(value: unknown): ChatRequest {
  return reading(() => {
    if (!isRequest(value)) throw notRequest('');
    const given = bodyOf(value);
    for (const list of [given.messages, given.history]) if (Array.isArray(list)) checkLength(list);
    const result = body.safeParse(given);
    if (!result.success) throw notRequest(` (${issueOf(result.error)})`);
    const { messages: all, history, model, stream, tools, toolChoice, documents } = result.data;
    const rest = { model, stream, tools, toolChoice, documents, ...settingsOf(result.data) };
    return { ...split(history, all), ...withoutAbsent(rest) };
  });
}

function settingsOf(given: z.output<typeof body>): {
  [K in keyof AnswerSettings]?: AnswerSettings[K] | undefined;
} {
  const own = Object.fromEntries(ANSWER_SETTINGS.map((name) => [name, given[name]]));
  return {
    ...own,
    maxTokens: given.maxTokens ?? given.max_completion_tokens ?? given.max_tokens ?? given.max_new_tokens,
    topP: given.topP ?? given.top_p,
    presencePenalty: given.presencePenalty ?? given.presence_penalty,
    frequencyPenalty: given.frequencyPenalty ?? given.frequency_penalty,
    logitBias: given.logitBias ?? given.logit_bias,
    reasoningEffort: given.reasoningEffort ?? given.reasoning_effort,
    parallelToolCalls: given.parallelToolCalls ?? given.parallel_tool_calls,
  };
}

/** Whether a value looks like a request, or is clearly meant as one. */
export function isRequest(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && ('messages' in value || 'text' in value);
}

function bodyOf(value: unknown): { readonly messages?: unknown; readonly history?: unknown } {
  if (typeof value === 'string' || Array.isArray(value)) return { messages: value };
  const given = value as object;
  return 'messages' in given ? given : { messages: (given as { text: unknown }).text };
}

/** Checking a message takes time. */
function checkLength(list: readonly unknown[]): void {
  if (list.length <= MAX_MESSAGES) return;
  throw new WeftError('too_many_items', `A request for a model may have at most ${MAX_MESSAGES} messages.`);
}

/** Everything before the user's last message is history; instructions stay in front. */
function split(
  history: readonly ChatMessage[],
  all: readonly ChatMessage[],
): Pick<ChatRequest, 'text' | 'messages' | 'history'> {
  const asked = all.findLastIndex(({ role }) => role === 'user');
  const earlier = asked < 0 ? [] : all.slice(0, asked);
  const isSystem = ({ role }: ChatMessage): boolean => role === 'system';
  return {
    text: all[asked]?.content ?? '',
    messages: [...earlier.filter(isSystem), ...all.slice(Math.max(asked, 0))],
    history: [...history, ...earlier.filter((one) => !isSystem(one))],
  };
}

/** The messages in the order that models expect: instructions, history, current messages. */
export function messagesOf({ messages: now, history }: ChatRequest): ChatMessage[] {
  const all = [...history, ...now];
  return [...all.filter(({ role }) => role === 'system'), ...all.filter(({ role }) => role !== 'system')];
}

/** The request with these files added to its question, except those that it has already. */
export function withFiles(request: ChatRequest, files: readonly FileValue[]): ChatRequest {
  const at = request.messages.findLastIndex(({ role }) => role === 'user');
  const asked = request.messages[at];
  if (asked?.role !== 'user') return request;
  const known = (asked.parts ?? []).flatMap((one) => ('file' in one ? [one.file.$file] : []));
  const added = files.filter(({ $file }) => !known.includes($file)).map(storedPart);
  if (added.length === 0) return request;
  const before =
    asked.parts ?? (asked.content === '' ? [] : [{ type: 'text', text: asked.content } as const]);
  return { ...request, messages: request.messages.with(at, { ...asked, parts: [...before, ...added] }) };
}

function withoutAbsent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function parsed(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}

function issueOf({ issues: [first] }: z.ZodError): string {
  return `${first?.path.map(String).join('.')}: ${first?.message}`;
}

function notRequest(why: string): WeftError {
  return new WeftError(
    'bad_input',
    `The input is not a message for a model${why}: give a text, a list of messages {role, content}, or an object with \`messages\`; or write the message in \`prompt\`.`,
  );
}
