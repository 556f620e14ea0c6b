import type { AgentCall, Asker, ModelService } from '#engine';
import type { AnswerSettings, ChatItem } from '#shared/chat-item.ts';
import type { Budget } from './budget.ts';
import type { Say } from './said-items.ts';

/** What all parts of one answer share. */
export interface Work {
  readonly by: Asker;
  /** Ends everything that the answer does: its caller has gone, or its budget is used up. */
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly models: Pick<ModelService, 'chat'>;
  /** Adds to the answer. */
  readonly say: Say<ChatItem>;
  readonly log: AgentCall['log'];
  /** The form in which the caller wants the answer. */
  readonly wishes: AnswerSettings;
  /** The prefix of idempotency keys of effects. */
  readonly key: string;
  /** The full name of a model, or of the default one if no name is given; null if it is unknown. */
  modelName(model: string | undefined): string | null;
}

/** The same work, for what is not part of the answer itself. */
export function aside(work: Work, key = work.key): Work {
  return { ...work, key, say: () => undefined, wishes: {} };
}
