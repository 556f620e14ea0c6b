import { z } from 'zod';
import type { ChatMessage, ChatTool, ToolCall } from '#shared/chat-item.ts';
import { WeftError } from '../operator.ts';
import { reading } from './_record.ts';

/**
 * What a model is asked, as the operators for models and prompts hand it to each other. The output of `trigger.chat` is one; so
 * is a text, a list of messages, the body that OpenAI's clients send, and the one of the original's.
 */
export interface ChatRequest {
  /** The last message of the user. */
  readonly text: string;
  /** From the last message of the user on, and instructions. */
  readonly messages: readonly ChatMessage[];
  /** What was said before, oldest first. */
  readonly history: readonly ChatMessage[];
  readonly model?: string;
  readonly stream?: boolean;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: 'auto' | 'none' | 'required';
  readonly schema?: Readonly<Record<string, unknown>>;
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

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const content = z
  .union([z.string(), z.array(textPart).transform((parts) => parts.map(({ text }) => text).join(''))])
  .nullish()
  .transform((text) => text ?? '');

const toolCall = z.union([
  z.object({ id: z.string(), name: z.string(), arguments: z.unknown() }),
  z
    .looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) })
    .transform(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: parsed(text) })),
]);

const message = z
  .object({
    role: z.enum(Object.keys(roles) as (keyof typeof roles)[]),
    content,
    toolCalls: z.array(toolCall).optional(),
    tool_calls: z.array(toolCall).optional(),
    toolCallId: z.string().optional(),
    tool_call_id: z.string().optional(),
    name: z.string().optional(),
  })
  .transform((given): ChatMessage => {
    const role = roles[given.role];
    const {
      content: text,
      toolCalls = given.tool_calls,
      toolCallId = given.tool_call_id ?? '',
      name,
    } = given;
    if (role === 'tool') return { role, content: text, toolCallId, ...(name !== undefined && { name }) };
    if (role !== 'assistant' || !toolCalls) return { role, content: text };
    return { role, content: text, toolCalls: toolCalls as ToolCall[] };
  });

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
  temperature: optional(z.number()),
  maxTokens: optional(z.int()),
  max_tokens: optional(z.int()),
  max_new_tokens: optional(z.int()),
  topP: optional(z.number()),
  top_p: optional(z.number()),
  stop: optional(z.union([z.string().transform((word) => [word]), z.array(z.string())])),
  tools: optional(
    z.array(z.custom<ChatTool>((tool) => typeof tool === 'object' && tool !== null && 'name' in tool)),
  ),
  toolChoice: optional(z.enum(['auto', 'none', 'required'])),
  schema: optional(z.record(z.string(), z.unknown())),
});

/**
 * The value as a request. An object with a `text` and no messages, such as a model's answer, counts as its text.
 * @throws WeftError `bad_input`.
 */
export function readRequest(value: unknown): ChatRequest {
  return reading(() => {
    if (!isRequest(value)) throw notRequest('');
    const given = bodyOf(value);
    for (const list of [given.messages, given.history]) if (Array.isArray(list)) checkLength(list);
    const result = body.safeParse(given);
    if (!result.success) throw notRequest(` (${issueOf(result.error)})`);
    const { max_tokens, max_new_tokens, top_p, messages: all, history, ...rest } = result.data;
    const settings = {
      ...rest,
      maxTokens: rest.maxTokens ?? max_tokens ?? max_new_tokens,
      topP: rest.topP ?? top_p,
    };
    return { ...split(history, all), ...withoutAbsent(settings) };
  });
}

/** Whether a value looks like a request, or can only be meant as one. */
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

/** What came before the last message of the user is history; instructions stay in front. */
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

/** The messages in the order that models want: instructions, history, what is asked now. */
export function messagesOf({ messages: now, history }: ChatRequest): ChatMessage[] {
  const all = [...history, ...now];
  return [...all.filter(({ role }) => role === 'system'), ...all.filter(({ role }) => role !== 'system')];
}

function withoutAbsent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
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
    `The input is no message for a model${why}: give a text, a list of messages {role, content}, or an object with \`messages\`; or write the message in \`prompt\`.`,
  );
}
