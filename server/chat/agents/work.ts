import type { AgentCall, Asker, Host, ModelService, Strand } from '#engine';
import type { AnswerSettings, ChatItem } from '#shared/chat-item.ts';
import type { Budget } from './budget.ts';
import type { Emit } from './emitted-items.ts';
import type { Kept } from './kept.ts';

/** The parts that all agents of one answer share. */
export interface SharedWork {
  readonly by: Asker;
  /** Ends everything that the answer does: its caller has left, or its budget is used up. */
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly models: Pick<ModelService, 'chat'>;
  /** Adds an item to the answer. */
  readonly emit: Emit<ChatItem>;
  readonly log: AgentCall['log'];
  /** The settings of the answer that the caller requested. */
  readonly wishes: AnswerSettings;
  /** Open connections to tools, which all agents of the answer share. */
  readonly kept: Kept;
  /** The prefix of idempotency keys of effects. */
  readonly key: string;
  /** Begins a line of work. */
  readonly begin: () => Strand;
  readonly timer: Host['timer'];
  /** The full name of a model, or of the default model if no name is given; null if it is unknown. */
  modelName(model: string | undefined): string | null;
}

/** One line of the work: calls of models and tools are its parts. */
export interface Work extends SharedWork {
  readonly strand: Strand;
  /** The name of the next part: `m1`, `t2`. The same in each attempt that makes the same calls. */
  readonly nextName: (kind: 'm' | 't') => string;
}

/** The same work without emitting, for texts that are not part of the answer itself. */
export function aside<W extends SharedWork>(work: W, key = work.key): W {
  return { ...work, key, emit: () => undefined, wishes: {} };
}

/** Works in a line of its own, side by side with others; `place` begins the names of its parts. */
export async function inStrand<T>(
  work: SharedWork,
  place: string,
  use: (work: Work) => Promise<T>,
): Promise<T> {
  const strand = work.begin();
  try {
    return await use({ ...work, strand, nextName: namesIn(place) });
  } finally {
    strand.end();
  }
}

function namesIn(place: string): Work['nextName'] {
  const counts = { m: 0, t: 0 };
  return (kind) => `${place}${kind}${++counts[kind]}`;
}
