import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FileValue } from '#shared/file.ts';
import type { AskedWait, Piece, Question } from '../api/chat.ts';
import { ApiError } from '../api/client.ts';

/** One message. */
export interface ChatEntry {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Of a question; an answer has links in its text. */
  readonly files: readonly FileValue[];
  /** The model's thoughts before it answered. */
  readonly reasoning: string;
  /** For an answer: `coming` until it is complete, stopped, or failed. */
  readonly state: 'coming' | 'done' | 'stopped' | 'failed';
  readonly error?: { readonly code: string; readonly message: string };
  /** The run behind this answer, once it is known; of an earlier question the run that answered it. */
  readonly run?: string;
  /** What the answer waits for, while it is coming. */
  readonly waits?: readonly AskedWait[];
}

/** The messages on the screen, oldest first; `isComing`: the last one is an answer that is not complete. */
export interface ChatState {
  readonly entries: readonly ChatEntry[];
  readonly isComing: boolean;
}

/** A question whose answer did not come, or not yet, or was empty: the server stores a question only with what answers it. */
export interface Unanswered extends Pick<ChatEntry, 'text' | 'files'> {
  /** `coming` until it ends. */
  readonly state: ChatEntry['state'];
  readonly error?: ChatEntry['error'];
}

/** The conversation, and the ways to its server. */
export interface ChatDeps {
  readonly conversation: string;
  /** The earlier messages. */
  readonly before: readonly (Pick<ChatEntry, 'role' | 'text'> & Partial<Pick<ChatEntry, 'files' | 'run'>>)[];
  /** The last question, if the server has not stored an answer to it. */
  readonly unanswered?: Unanswered | undefined;
  ask(question: Question, signal: AbortSignal): AsyncIterable<Piece>;
  /** Remembers the last question until its answer is stored; forgets it with undefined. */
  remember?(question: Unanswered | undefined): void;
  /** Asks the server to end the answer. */
  stop(conversation: string): Promise<unknown>;
}

/**
 * One conversation on the screen.
 * C1. There is one answer at a time; a question that is sent during an answer is ignored.
 * C2. `stop` asks the server to end the answer, which stores it; if the server does not within `GRACE_MS`, the connection is
 *     closed.
 * C3. The received part of an answer that fails or is stopped stays.
 * C4. A question that got no answer is there again after the page was left, to be asked again.
 * C5. What another window adds is shown by `renew`, but never during an answer.
 * C6. A question that is asked again, changed or not, takes the place of itself and of all that followed it, on the server too.
 */
export interface Chat {
  readonly store: StoreApi<ChatState>;
  readonly conversation: string;
  /** Resolves when the answer has ended, in whatever way. */
  send(model: string, text: string, files?: readonly FileValue[]): Promise<void>;
  /** Asks the last question again and replaces its answer. */
  again(model: string): Promise<void>;
  /** Asks the question at this place again with another text; it and all that followed it are replaced. */
  change(model: string, at: number, text: string): Promise<void>;
  stop(): Promise<void>;
  /** Shows what the server has stored, if another window has added to it. */
  renew(stored: ChatDeps['before']): void;
  /** Closes the connection. */
  leave(): void;
}

/** The answer that is coming. */
interface Coming {
  readonly controller: AbortController;
  stopped: boolean;
}

const GRACE_MS = 3000;
/** An answer is redrawn at most once in this time, not for each of its pieces. */
const SHOW_MS = 40;

export function createChat({ conversation, before, unanswered, ask, remember, stop }: ChatDeps): Chat {
  const store = createStore<ChatState>()(() => ({ entries: begun(before, unanswered), isComing: false }));
  let coming: Coming | undefined;

  const change = (more: Partial<ChatEntry>): void =>
    store.setState(({ entries: all }) => {
      const last = all.at(-1);
      return last ? { entries: [...all.slice(0, -1), { ...last, ...more }] } : {};
    });

  async function answer(question: Question): Promise<void> {
    const own = { controller: new AbortController(), stopped: false };
    coming = own;
    let end: Partial<ChatEntry>;
    try {
      await follow(ask(question, own.controller.signal), question.whole, change);
      end = { state: own.stopped ? 'stopped' : 'done' };
    } catch (error) {
      end = own.controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: wordsOf(error) };
    }
    coming = undefined;
    change(end);
    // Whoever has left comes back to it.
    if (own.stopped || !own.controller.signal.aborted) remember?.(unansweredIn(store.getState().entries));
    store.setState({ isComing: false });
  }

  /** Asks at this place; what was there and behind it goes. */
  function askAt(at: number, model: string, text: string, files: readonly FileValue[] = []): Promise<void> {
    if (coming) return Promise.resolve();
    const { entries: all } = store.getState();
    const replaces = keptRunFrom(all, at);
    store.setState({ entries: [...all.slice(0, at), ...asked(text, files)], isComing: true });
    const question = { model, text, files, conversation, whole: hasPlans(model) };
    remember?.({ text, files, state: 'coming' });
    return answer({ ...question, ...(replaces !== undefined && { replaces }) });
  }

  async function again(model: string): Promise<void> {
    const { entries: all } = store.getState();
    const at = all.findLastIndex(({ role }) => role === 'user');
    const question = all[at];
    if (question) await askAt(at, model, question.text, question.files);
  }

  async function end(): Promise<void> {
    const own = coming;
    if (!own || own.stopped) return;
    own.stopped = true;
    const hangUp = setTimeout(() => own.controller.abort(), GRACE_MS);
    own.controller.signal.addEventListener('abort', () => clearTimeout(hangUp));
    await stop(conversation).catch(() => own.controller.abort());
  }

  return {
    store,
    conversation,
    send: (...question) => askAt(store.getState().entries.length, ...question),
    again,
    change: (model, at, text) => askAt(at, model, text, store.getState().entries[at]?.files),
    stop: end,
    renew: (stored) => {
      if (!coming) store.setState(({ entries }) => ({ entries: renewed(entries, stored) }));
    },
    leave: () => coming?.controller.abort(),
  };
}

/** Assembles an answer and shows it while it grows; at its end, in whatever way, all of it has been shown. */
async function follow(
  pieces: AsyncIterable<Piece>,
  isWhole: boolean,
  show: (said: Partial<ChatEntry>) => void,
): Promise<void> {
  let said: Pick<ChatEntry, 'text' | 'reasoning' | 'run'> & Required<Pick<ChatEntry, 'waits'>> = {
    text: '',
    reasoning: '',
    waits: [],
  };
  let planned: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    planned = undefined;
    show(said);
  };
  try {
    for await (const { text, reasoning, run, waiting } of pieces) {
      const isNew = isWhole && text !== '';
      const all = { text: isNew ? text : said.text + text, reasoning: said.reasoning + reasoning };
      // An answer that goes on waits no longer.
      const waits = waiting === undefined ? (text === '' ? said.waits : []) : [...said.waits, waiting];
      said = {
        ...all,
        waits,
        ...(said.run !== undefined && { run: said.run }),
        ...(run !== undefined && { run }),
      };
      planned ??= setTimeout(draw, SHOW_MS);
    }
  } finally {
    clearTimeout(planned);
    show(said);
  }
}

/** The run of the first exchange from here on that the server has stored: one whose answer says something. */
function keptRunFrom(entries: readonly ChatEntry[], at: number): string | undefined {
  return entries.slice(at).find(({ role, text, run }) => role === 'assistant' && text !== '' && run)?.run;
}

/** Agents send plans that change while they work; a model only ever appends text. */
function hasPlans(model: string): boolean {
  return model.startsWith('app:') || model.startsWith('flow:');
}

/** A question, and the answer that is to come. */
function asked(text: string, files: readonly FileValue[]): ChatEntry[] {
  return [entryOf('user', text, 'done', files), entryOf('assistant', '', 'coming')];
}

/** What was said, and a question without an answer behind it, unless its answer was stored after all. */
function begun(before: ChatDeps['before'], unanswered: Unanswered | undefined): ChatEntry[] {
  const entries = before.map(earlier);
  if (!unanswered || entries.findLast(({ role }) => role === 'user')?.text === unanswered.text)
    return entries;
  const { text, files, state, error } = unanswered;
  const answer = entryOf('assistant', '', state === 'coming' ? 'failed' : state);
  const told = state === 'coming' ? LEFT : error;
  return [...entries, entryOf('user', text, 'done', files), { ...answer, ...(told && { error: told }) }];
}

/** The last question, if it has ended without an answer that the server stores. */
function unansweredIn(entries: readonly ChatEntry[]): Unanswered | undefined {
  const [question, answer] = entries.slice(-2);
  if (!question || !answer || (answer.text !== '' && answer.state !== 'failed')) return undefined;
  const { state, error } = answer;
  return { text: question.text, files: question.files, state, ...(error && { error }) };
}

/** What is stored, if some of it is new here, and the last question if that is not stored. */
function renewed(entries: readonly ChatEntry[], stored: ChatDeps['before']): readonly ChatEntry[] {
  const known = new Set(entries.map(({ run }) => run));
  if (stored.every(({ run }) => known.has(run))) return entries;
  return [...stored.map(earlier), ...(unansweredIn(entries) ? entries.slice(-2) : [])];
}

const LEFT = { code: 'answer_broken', message: 'The page was left before the answer was complete.' };

function earlier({ role, text, files, run }: ChatDeps['before'][number]): ChatEntry {
  return { ...entryOf(role, text, 'done', files), ...(run !== undefined && { run }) };
}

function entryOf(
  role: ChatEntry['role'],
  text: string,
  state: ChatEntry['state'],
  files: readonly FileValue[] = [],
): ChatEntry {
  return { role, text, files: role === 'user' ? files : [], reasoning: '', state };
}

function wordsOf(error: unknown): { code: string; message: string } {
  if (error instanceof ApiError) {
    const { code, message } = error;
    return code === 'offline'
      ? { code, message: 'The server cannot be reached. Is it running?' }
      : { code, message };
  }
  return { code: 'answer_broken', message: 'The connection was lost before the answer was complete.' };
}
