import type { ChatInput } from '#shared/chat-item.ts';
import { CHAT_TRIGGER } from './built-in-flows.ts';
import type { LiveFlow } from '../flows/flow-types.ts';
import { ServiceError } from '../errors/errors.ts';

/**
 * The input of a run at this trigger, made from a value that somebody entered: at a chat trigger a text, or an object
 * with a `text`, is a message. Throws `invalid_request` for values that cannot be one.
 */
export function chatStart({ flow }: LiveFlow, trigger: string, input: unknown): unknown {
  if (flow.nodes[trigger]?.operator !== CHAT_TRIGGER) return input;
  if (typeof input === 'string' || input === undefined || input === null) return message(input ?? '');
  const { text } = input as { readonly text?: unknown };
  if (typeof text === 'string') return { ...message(text), ...(input as object) };
  throw new ServiceError(
    'invalid_request',
    'A chat starts with a text, or with an object that has one as `text`.',
    { param: 'input' },
  );
}

function message(text: string): ChatInput {
  return {
    text,
    messages: [{ role: 'user', content: text }],
    history: [],
    files: [],
    conversation: '',
    model: null,
    stream: true,
  };
}
