import type { AgentService, Host, ModelService, StateService } from '#engine';
import { rootRequest } from '../execution/runs/root-request.ts';
import type { Execution } from '../execution/open-execution.ts';
import type { FlowService } from '../flows/service/flow-types.ts';
import type { Db } from '../base/adapters/db.ts';
import type { Base } from '../base/open-base.ts';
import type { SecretStore } from '../base/secrets/store.ts';
import type { Integrations } from '../integrations/open-integrations.ts';
import type { Sql } from '../storage/database/sql.ts';
import type { Files } from '../storage/file-store/files.ts';
import { createAccounts } from './agents/accounts.ts';
import { createAgents } from './agents/agents.ts';
import { type BudgetStore, createBudgetStore } from './agents/budget-store.ts';
import { meteredModels } from './agents/metered-models.ts';
import { type Apps, createApps } from './apps/apps.ts';
import { type AppPages, openAppPages, openDbApps } from './apps/db-apps.ts';
import { type Conversations, conversationsWithFiles } from './service/conversations.ts';
import { createSqlConversations } from './service/sql-conversations.ts';

/** What people and programs chat with. */
export interface Chat {
  readonly apps: Apps;
  /** The public chat pages of apps. */
  readonly pages: AppPages;
  readonly conversations: Conversations;
  readonly budgets: BudgetStore;
  /** For operators. */
  readonly agents: AgentService;
  /** The models within their budgets, for operators. */
  readonly models: ModelService;
  /** Stores what the budgets have counted. */
  close(): Promise<void>;
}

interface ChatDeps {
  readonly documents: Db;
  readonly sql: Sql;
  readonly files: Files;
  readonly integrations: Pick<Integrations, 'http' | 'data' | 'knowledge' | 'models'>;
  readonly secrets: SecretStore;
  readonly state: StateService;
  readonly flows: FlowService;
  readonly execution: Pick<Execution, 'runs' | 'subFlows'>;
  /** With its services. */
  readonly host: Host;
  /** Unix milliseconds, by the clock that servers share: of `host` for messages, and of the storage for accounts. */
  readonly now: () => number;
  readonly storageNow: () => number;
}

export async function openChat({ log }: Base, deps: ChatDeps): Promise<Chat> {
  const { documents: db, integrations, flows, execution, host } = deps;
  const apps = createApps(await openDbApps(db), host);
  const { models: known, http, data, knowledge } = integrations;
  const { runs, subFlows } = execution;
  const budgets = createBudgetStore(db);
  const warn = (message: string): void => log.warn(message);
  const accounts = createAccounts({ budgets: budgets.get, state: deps.state, now: deps.storageNow, warn });
  const agents = createAgents({
    apps,
    models: known,
    accounts,
    keyOf: (run) => rootRequest(runs, run)?.apiKey,
    live: flows.live.bind(flows),
    flows: subFlows,
    http,
    knowledge: knowledge.service,
    data,
    secrets: deps.secrets,
    host,
  });
  return {
    apps,
    pages: await openAppPages(db),
    conversations: conversationsWithFiles(createSqlConversations(deps.sql, deps.now), deps.files),
    budgets,
    agents,
    models: meteredModels({ models: known, accounts, budgets: budgets.get, runs, host }),
    close: () => accounts.close(),
  };
}
