import type { Run } from '#engine';
import { FLOW_PREFIX } from '#shared/chat-names.ts';
import { type AnswerHead, completionBody } from '../../chat/service/chunks.ts';
import { createItemReader } from '../../chat/service/items.ts';
import { isChatItem } from '../../chat/service/item-shape.ts';
import { createSaid, OUTSIDE_CHATS } from '../../chat/service/said.ts';
import type { Endpoint } from './endpoint.ts';
import { collect } from '../../access/answers/serialise.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Turns a stream into a complete answer: the list of its items. If the request could have asked for the stream
 * (`response.as: request`), the pieces of a model's answer are joined: OpenAI chunks as a `chat.completion`, all
 * others as `{text, error_code, metrics}`, with the usage and the model of the run. Throws the stream's failure, and
 * `value_too_large`.
 */
export async function gathered(
  stream: AsyncIterable<unknown>,
  { streamed }: Endpoint,
  run: Pick<Run, 'spending'>,
): Promise<unknown> {
  if (streamed === undefined) return collect(stream);
  const items = stream[Symbol.asyncIterator]();
  const first = await items.next();
  const all = rejoined(first, items);
  if (first.done === true) return collect(all);
  if (isChunk(first.value)) return completionOf(all, first.value, run);
  return isPiece(first.value) ? bodyOf(all, run) : collect(all);
}

/** The items again, including the first one. */
function rejoined(first: IteratorResult<unknown>, rest: AsyncIterator<unknown>): AsyncIterable<unknown> {
  let waiting: IteratorResult<unknown> | undefined = first;
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        const item = waiting;
        waiting = undefined;
        return item ? Promise.resolve(item) : rest.next();
      },
      return: () => rest.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    }),
  };
}

function isFields(item: unknown): item is Fields {
  return typeof item === 'object' && item !== null;
}

function isChunk(item: unknown): item is Fields {
  return isFields(item) && item['object'] === 'chat.completion.chunk';
}

/** A part of a model's answer, or a body with a text in DB-GPT's format. */
function isPiece(item: unknown): boolean {
  if (typeof item === 'string') return true;
  return isFields(item) && (isChatItem(item) || (typeof item['text'] === 'string' && 'error_code' in item));
}

async function bodyOf(items: AsyncIterable<unknown>, run: Pick<Run, 'spending'>): Promise<object> {
  const { text, usage } = await readAll(items, run);
  const total = usage.inputTokens + usage.outputTokens;
  const { inputTokens: prompt_tokens, outputTokens: completion_tokens } = usage;
  const metrics = total === 0 ? {} : { prompt_tokens, completion_tokens, total_tokens: total };
  return { text, error_code: 0, metrics };
}

async function completionOf(
  items: AsyncIterable<unknown>,
  first: Fields,
  run: Pick<Run, 'spending'>,
): Promise<object> {
  const calls = new Map<unknown, { id: string; name: string; arguments: string }>();
  let refusal = '';
  const { text, reasoning, finish, usage } = await readAll(items, run, (item) => {
    refusal += textIn(deltaOf(item), 'refusal');
    for (const call of callsIn(item)) {
      const { index, id, function: named } = call as { index?: unknown; id?: string; function?: Fields };
      const known = calls.get(index) ?? { id: id ?? '', name: '', arguments: '' };
      calls.set(index, {
        id: known.id,
        name: known.name + textIn(named, 'name'),
        arguments: known.arguments + textIn(named, 'arguments'),
      });
    }
  });
  const head = first as unknown as AnswerHead;
  const all = [...calls.values()];
  const ended = all.length > 0 ? 'tool_calls' : finish;
  const named = textIn(first, 'model');
  // Chunks that were written before the model was known name the flow.
  const model = (named.startsWith(FLOW_PREFIX) ? run.spending?.model : undefined) ?? named;
  return completionBody(head, { text, reasoning, refusal, calls: all, finish: ended, usage, model });
}

function textIn(fields: Fields | undefined, name: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
}

function deltaOf(item: unknown): Fields {
  const choices = isFields(item) && Array.isArray(item['choices']) ? (item['choices'] as unknown[]) : [];
  const [choice] = choices;
  return isFields(choice) && isFields(choice['delta']) ? choice['delta'] : {};
}

function callsIn(item: unknown): readonly unknown[] {
  const { tool_calls: calls } = deltaOf(item);
  return Array.isArray(calls) ? calls.filter(isFields) : [];
}

async function readAll(
  items: AsyncIterable<unknown>,
  run: Pick<Run, 'spending'>,
  look?: (item: unknown) => void,
) {
  const reader = createItemReader();
  const collected = createSaid({ ...OUTSIDE_CHATS, run });
  let reasoning = '';
  for await (const item of items) {
    look?.(item);
    const { reasoning_content: thought } = deltaOf(item);
    if (typeof thought === 'string') reasoning += thought;
    for (const piece of reader.read(item)) collected.take(piece);
  }
  for (const piece of reader.end()) collected.take(piece);
  const { finish, usage } = collected.end();
  return { text: collected.text, reasoning: reasoning + collected.reasoning, finish, usage };
}
