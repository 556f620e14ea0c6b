import type { ChatInput } from '#shared/chat-item.ts';
import { WeftError } from '../operator.ts';
import { isRecord, reading } from './_record.ts';

/** What a chat hands over, or a text alone, as the question to a model or an agent. Throws `bad_input` for anything else. */
export function chatInputOf(value: unknown): ChatInput {
  if (typeof value === 'string') return question(value);
  return reading(() => {
    if (!isRecord(value) || typeof value['text'] !== 'string') throw noQuestion();
    const given = value as Readonly<Record<string, unknown>> & { readonly text: string };
    const lists = ['messages', 'history'].filter((name) => name in given);
    if (!lists.every((name) => isMessages(given[name]))) throw noQuestion();
    return { ...question(given.text), ...given };
  });
}

function question(text: string): ChatInput {
  return {
    text,
    messages: [{ role: 'user', content: text }],
    history: [],
    conversation: '',
    model: null,
    stream: true,
  };
}

function isMessages(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (one) => isRecord(one) && typeof one['role'] === 'string' && typeof one['content'] === 'string',
    )
  );
}

function noQuestion(): WeftError {
  return new WeftError(
    'bad_input',
    'The input is no question: give a text, or what `trigger.chat` gives ({ text, messages, history, … }).',
  );
}
