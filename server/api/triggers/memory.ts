import type { FastifyRequest, FastifyBaseLogger } from 'fastify';
import type { RunAnswer } from '#engine';
import { isStream } from '#shared/json.ts';
import type { Conversations } from '../../chat/service/conversations.ts';
import type { TriggerGate } from '../../access/security/auth/gate.ts';
import { createItemReader, valueText } from '../../chat/service/items.ts';
import { createMemoryConversations } from '../../chat/service/memory-conversations.ts';
import { createSaid, OUTSIDE_CHATS } from '../../chat/service/said.ts';
import type { DurableView, Turn } from '../../execution/durable/durable-runs.ts';
import { hiddenValues } from '../../base/secrets/hidden-fields.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import type { Admitted } from './admission.ts';
import { readInput } from './launch.ts';

/** Messages that a flow gets: ten rounds of a question and its answer, as in a chat. */
const REMEMBERED = 20;

/**
 * Conversations behind a trigger, which a field of the request names. They belong to the caller. Callers without a
 * key share those of the flow, so anyone who knows the name of a conversation can continue it.
 */
export interface Memory {
  /**
   * Reads the request, and adds `history` to the input of its run; undefined if the request names no conversation.
   * The returned value is for `watched` or, with a run that outlives the process, for `ended`.
   */
  recall(field: string, admitted: Admitted, request: FastifyRequest): Promise<Turn | undefined>;
  /** Returns the same answer; the text of a complete one is stored by then. */
  watched(turn: Turn, answer: RunAnswer): Promise<RunAnswer>;
  /** Stores the answer of a durable run: once, unless the process ends before everyone was notified of that end. */
  ended(end: Pick<DurableView, 'run' | 'status' | 'answer' | 'streamed' | 'memory'>): Promise<void>;
}

type Deps = { readonly gate: TriggerGate } & Partial<{
  readonly conversations: Conversations;
  readonly log: FastifyBaseLogger;
}>;

/** Ends of durable runs that are known to be stored. */
const MAX_ENDS = 10_000;

/** If nothing stores conversations, they last as long as the process. */
export function createMemory({
  gate,
  conversations = createMemoryConversations(Date.now),
  log,
}: Deps): Memory {
  const ends = new Map<string, Promise<void>>();

  async function keep({ owner, id, target, question, hidden }: Turn, text: string): Promise<void> {
    if (text === '') return;
    const masks = hidden.length === 0 ? undefined : createRedactor().with(hidden);
    const content = (clear: string): string => masks?.text(clear) ?? clear;
    const messages = [
      { role: 'user', content: content(question) },
      { role: 'assistant', content: content(text) },
    ] as const;
    await conversations.add(owner, { id, user: undefined, target }, messages).catch((err: unknown) => {
      log?.error({ err, target }, 'a conversation could not be stored');
    });
  }

  return {
    async recall(field, admitted, request) {
      const input = readInput(admitted, request);
      admitted.input = input;
      const { value } = input;
      if (typeof value !== 'object' || value === null) return undefined;
      const id = (value as Fields)[field];
      if (typeof id !== 'string' || id === '' || id.length > 128) return undefined;
      const { flow, node } = admitted.endpoint.route;
      const caller = gate.callerOf(request.raw);
      const owner = caller === 'anyone' ? `flow:${flow.id}` : caller;
      const kept = await conversations.recent(owner, id, REMEMBERED);
      const history = kept.map(({ role, content }) => ({ role, content }));
      const recalled = { ...value, history };
      const body = input.request.body === value ? recalled : input.request.body;
      admitted.input = { value: recalled, request: { ...input.request, body } };
      const plan = flow.compiled.plans.get(node);
      const hidden = plan ? hiddenValues(plan, { output: value, request: input.request }) : [];
      return { owner, id, target: `flow:${flow.id}`, question: questionOf(value as Fields), hidden };
    },
    watched: (turn, answer) => watched(answer, (text) => keep(turn, text)),
    ended({ run, status, answer, streamed, memory }) {
      if (memory === undefined || status !== 'ok' || answer === undefined) return Promise.resolve();
      const known = ends.get(run);
      if (known !== undefined) return known;
      const kept = keep(
        memory,
        textOf(streamed ? (answer.body as readonly unknown[]) : [valueText(answer.body)]),
      );
      ends.set(run, kept);
      if (ends.size > MAX_ENDS) ends.delete(ends.keys().next().value as string);
      return kept;
    },
  };
}

/** The texts of the items of an answer, one after the other. */
function textOf(items: readonly unknown[]): string {
  const heard = createListener();
  for (const item of items) heard.hear(item);
  return heard.end();
}

type Fields = Readonly<Record<string, unknown>>;

/** The last message: of a text, a list of texts, or OpenAI's list of messages. */
function questionOf({ messages, text }: Fields): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : (messages ?? text);
  if (typeof last === 'string') return last;
  const content = typeof last === 'object' && last !== null ? (last as Fields)['content'] : undefined;
  return typeof content === 'string' ? content : '';
}

/** Returns the same answer. `store` gets its text at the end of it; nothing of a failed one is remembered. */
async function watched(answer: RunAnswer, store: Store): Promise<RunAnswer> {
  if (answer.kind !== 'value') return answer;
  const { body } = answer;
  const heard = createListener();
  if (isStream(body)) return { ...answer, body: overheard(body, heard, store) };
  heard.hear(valueText(body));
  await store(heard.end());
  return answer;
}

type Store = (text: string) => Promise<void>;

/** Collects the text of an answer in any format. Other values add nothing. */
function createListener() {
  const reader = createItemReader();
  const collected = createSaid(OUTSIDE_CHATS);
  let deaf = false;
  const guarded = (work: () => void): void => {
    if (deaf) return;
    try {
      work();
    } catch {
      deaf = true;
    }
  };
  return {
    hear: (item: unknown) =>
      guarded(() => {
        for (const piece of reader.read(item)) collected.take(piece);
      }),
    end(): string {
      guarded(() => {
        for (const piece of reader.end()) collected.take(piece);
      });
      return deaf ? '' : collected.text;
    },
  };
}

function overheard(
  stream: AsyncIterable<unknown>,
  heard: ReturnType<typeof createListener>,
  store: Store,
): AsyncIterable<unknown> {
  const items = stream[Symbol.asyncIterator]();
  const iterator: AsyncIterator<unknown> = {
    async next() {
      const item = await items.next();
      if (item.done === true) await store(heard.end());
      else heard.hear(item.value);
      return item;
    },
    return: () => items.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
