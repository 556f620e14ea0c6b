import type { ChatInput } from '#shared/chat-item.ts';
import { readRequest } from './_chat-request.ts';
import { isRecord, reading } from './_record.ts';

/**
 * What a chat hands over, as it is; a text, a list of messages or the body of a client with what only a chat has filled in.
 * Throws `bad_input` for what is no question.
 */
export function chatInputOf(value: unknown): ChatInput {
  const { model = null, stream = true, ...question } = readRequest(value);
  const { conversation = '', ...who } = chatFields(value);
  return { conversation, model, stream, ...question, ...who };
}

const FIELDS = ['conversation', 'user', 'key'] as const;

/** What requests to models do not have. */
function chatFields(value: unknown): Partial<Pick<ChatInput, (typeof FIELDS)[number]>> {
  return reading(() => {
    const given = isRecord(value) ? value : {};
    const texts = FIELDS.map((name) => [name, given[name]] as const);
    return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string'));
  });
}
