import type { AgentCall, Asker, ModelService } from '#engine';
import type { AnswerSettings, ChatItem } from '#shared/chat-item.ts';
import type { Budget } from './budget.ts';
import type { Emit } from './emitted-items.ts';
import type { Kept } from './kept.ts';

/** The parts that all agents of one answer share. */
export interface Work {
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
  /** The full name of a model, or of the default model if no name is given; null if it is unknown. */
  modelName(model: string | undefined): string | null;
}

/** The same work without emitting, for texts that are not part of the answer itself. */
export function aside(work: Work, key = work.key): Work {
  return { ...work, key, emit: () => undefined, wishes: {} };
}
