import type { AgentCall, Asker, ModelService } from '#engine';
import type { AnswerSettings, ChatItem } from '#shared/chat-item.ts';
import type { Budget } from './budget.ts';
import type { Say } from './said-items.ts';

/** What all parts of one answer share. */
export interface Work {
  readonly by: Asker;
  /** Ends all that the answer does: its asker went away, or its budget is used up. */
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly models: Pick<ModelService, 'chat'>;
  /** Adds to the answer. */
  readonly say: Say<ChatItem>;
  readonly log: AgentCall['log'];
  /** How the one who asks wants the answer. */
  readonly wishes: AnswerSettings;
  /** What idempotency keys of effects begin with. */
  readonly key: string;
  /** The whole name of a model, the default one without a name; null where it is not known. */
  modelName(model: string | undefined): string | null;
}

/** The same work for what is no part of the answer itself. */
export function aside(work: Work, key = work.key): Work {
  return { ...work, key, say: () => undefined, wishes: {} };
}
