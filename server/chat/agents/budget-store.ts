import { z } from 'zod';
import { AgentBudgets } from '#shared/agent-budget.ts';
import type { Db } from '../../base/adapters/db.ts';
import { StartError } from '../../base/errors/start-error.ts';

/** The configured budgets of agents. */
export interface BudgetStore {
  get(): AgentBudgets;
  /** Throws `storage_failed`. */
  set(budgets: AgentBudgets): Promise<void>;
}

/** Stored in the part `budgets` of `db`. Throws a `StartError` if that is damaged. */
export function createBudgetStore(db: Db): BudgetStore {
  let current = readBudgets(db);
  db.onOthers('budgets', () => (current = readBudgets(db)));
  return {
    get: () => current,
    async set(budgets) {
      await db.change('budgets', () => ({ ...budgets }));
      current = readBudgets(db);
    },
  };
}

function readBudgets({ data }: Pick<Db, 'data'>): AgentBudgets {
  const read = AgentBudgets.safeParse(data.budgets);
  if (read.success) return read.data;
  throw new StartError(`The budgets of agents in db.json are damaged: ${z.prettifyError(read.error)}`);
}
