import type { Run, RunAnswer } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import { isStream } from '#shared/json.ts';
import { runError } from '../../access/answers/answer.ts';
import type { Chat } from './chat.ts';
import { answerFailed, createItemReader, valueText } from './items.ts';

/** The run's answer; a stream resolves with its first item. */
export function answerOf(run: Run): Promise<RunAnswer> {
  return new Promise((resolve) =>
    run.onAnswer((answer) => resolve(isBuiltIn(run) ? withoutPlace(answer) : answer)),
  );
}

/** No flow of a user has such an id. */
function isBuiltIn({ flow }: Run): boolean {
  return flow.includes(':');
}

/** Callers do not know the nodes of a built-in flow. */
function withoutPlace(answer: RunAnswer): RunAnswer {
  if (answer.kind !== 'error') return answer;
  const { node: _node, field: _field, ...error } = answer.error;
  return { ...answer, error };
}

/**
 * Passes the answer's items to `take` in order, each in the form of `shown` and after the previous call has resolved.
 * Rejects with the run's failure, or `answer_failed`.
 */
export async function readAnswer(
  answer: RunAnswer,
  shown: Chat['shown'],
  take: (item: ChatItem) => Promise<void> | undefined,
): Promise<void> {
  const body = bodyOf(answer);
  const reader = createItemReader();
  for await (const value of isStream(body) ? body : [valueText(body)]) {
    for (const item of reader.read(value)) {
      const isOther = item.type === 'file' || item.type === 'references';
      const waits = take(isOther ? await shown(item) : item);
      if (waits) await waits;
    }
  }
  for (const item of reader.end()) await take(item);
}

function bodyOf(answer: RunAnswer): unknown {
  if (answer.kind === 'error') throw runError(answer.error);
  if (answer.kind === 'empty') return '';
  const { status = 200, body } = answer;
  if (status >= 400) throw answerFailed(`The flow answered the chat with the status ${status}.`);
  return body;
}
