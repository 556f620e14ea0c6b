import type { ModelCall, WeftError } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { AgentDeps } from '../answering.ts';

/** Waits until it is aborted. */
export const HANG: unique symbol = Symbol('hang');

/** A piece of a scripted model's output: a text, a tool call, a failure, or a hang. */
export type Piece = string | { readonly call: string; readonly args?: unknown } | WeftError | typeof HANG;

export interface ScriptedModels {
  readonly models: AgentDeps['models'];
  /** All calls so far. */
  readonly calls: ModelCall[];
  /** Calls in progress. */
  active(): number;
  /** The highest number of calls in progress at once. */
  peak(): number;
}

/**
 * Models that emit the pieces of `script` for a call, each as an item in a turn of its own. A call uses 10 tokens in
 * and 5 out.
 */
export function scriptedModels(
  script: (call: ModelCall, at: number) => readonly Piece[] | Promise<readonly Piece[]>,
): ScriptedModels {
  const calls: ModelCall[] = [];
  let active = 0;
  let peak = 0;

  async function* chat(call: ModelCall, _by: unknown, signal: AbortSignal): AsyncGenerator<ChatItem> {
    calls.push(call);
    peak = Math.max(peak, ++active);
    try {
      yield* played(await script(call, calls.length), signal, call.model);
    } finally {
      active--;
    }
  }

  const prices = { input: 1_000_000, output: 2_000_000 };
  return {
    models: {
      chat,
      find: (name = 'default') => ({
        id: `test/${name}`,
        provider: 'test',
        model: name,
        use: 'chat',
        default: name === 'default',
        ...(name === 'priced' && { prices }),
      }),
    },
    calls,
    active: () => active,
    peak: () => peak,
  };
}

async function* played(
  pieces: readonly Piece[],
  signal: AbortSignal,
  model = 'default',
): AsyncGenerator<ChatItem> {
  let tools = 0;
  for (const piece of pieces) {
    await new Promise(setImmediate);
    signal.throwIfAborted();
    if (piece === HANG) await aborted(signal);
    else if (typeof piece === 'string') yield { type: 'text', text: piece };
    else if (piece instanceof Error) throw piece;
    else {
      const { call: name, args = {} } = piece;
      yield { type: 'tool-call', call: { id: `c${++tools}`, name, arguments: args } };
    }
  }
  const usage = { inputTokens: 10, outputTokens: 5 };
  yield { type: 'finish', reason: tools > 0 ? 'tool-calls' : 'stop', usage, model };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
