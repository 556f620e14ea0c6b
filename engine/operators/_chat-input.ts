import type { ChatInput } from '#shared/chat-item.ts';
import { isRecord } from '#shared/json.ts';
import { readRequest } from './_chat-request.ts';
import { reading } from './_record.ts';

/**
 * The input that a chat gives a flow is returned as it is. A text, a list of messages or a client's body gets defaults for
 * the fields that only a chat has. Throws `bad_input` if the value is not a question.
 */
export function chatInputOf(value: unknown): ChatInput {
  const { model = null, stream = true, ...question } = readRequest(value);
  const { conversation = '', ...who } = chatFields(value);
  const asked = question.messages.findLast(({ role }) => role === 'user');
  const parts = asked?.role === 'user' ? (asked.parts ?? []) : [];
  const files = parts.flatMap((part) => ('file' in part ? [part.file] : []));
  return { conversation, model, stream, ...question, files, ...who };
}

const FIELDS = ['conversation', 'user', 'key'] as const;

/** Fields that requests to models do not have. */
function chatFields(value: unknown): Partial<Pick<ChatInput, (typeof FIELDS)[number]>> {
  return reading(() => {
    const given = isRecord(value) ? value : {};
    const texts = FIELDS.map((name) => [name, given[name]] as const);
    return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string'));
  });
}
