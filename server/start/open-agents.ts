import type { Db } from '../base/adapters/db.ts';
import type { Adapters } from './open-adapters.ts';
import { createAccounts } from '../chat/agents/accounts.ts';
import { createAgents } from '../chat/agents/agents.ts';
import { createBudgetStore } from '../chat/agents/budget-store.ts';
import { meteredModels } from '../chat/agents/metered-models.ts';
import type { Context } from '../api/routes/context.ts';
import { rootRequest } from '../execution/runs/root-request.ts';
import type { SubFlows } from '../execution/starts/sub-flows.ts';

/** Offers agents, and models within their budgets, to operators; returns the budgets, and what closes their accounts. */
export function openAgents(
  db: Db,
  { services, state, secrets, host, log, storage }: Adapters,
  overrides: Partial<Context>,
  {
    flows,
    runs,
    subFlows,
    ...asked
  }: Pick<Context, 'apps' | 'models' | 'flows' | 'runs'> & { readonly subFlows: SubFlows },
): Pick<Context, 'budgets'> & { closeAccounts(): Promise<void> } {
  const budgets = overrides.budgets ?? createBudgetStore(db);
  const warn = (message: string): void => log.warn(message);
  const accounts = createAccounts({ budgets: budgets.get, state, now: storage.now, warn });
  const live = flows.live.bind(flows);
  const { http, knowledge, data } = services;
  const keyOf = (run: string): string | undefined => rootRequest(runs, run)?.apiKey;
  services.agents = createAgents({
    ...asked,
    accounts,
    keyOf,
    live,
    flows: subFlows,
    http,
    knowledge,
    data,
    secrets,
    host,
  });
  services.models = meteredModels({ models: asked.models, accounts, budgets: budgets.get, runs, host });
  return { budgets, closeAccounts: accounts.close };
}
