import type { AgentService, Host, McpService, ModelService, StateService } from '#engine';
import { rootRequest } from '../execution/runs/root-request.ts';
import type { Execution } from '../execution/open-execution.ts';
import type { FlowService } from '../flows/service/flow-types.ts';
import type { Db } from '../base/adapters/db.ts';
import type { Base } from '../base/open-base.ts';
import { lazy, lazyService } from '../base/parts/lazy.ts';
import type { SecretStore } from '../base/secrets/store.ts';
import type { Integrations } from '../integrations/open-integrations.ts';
import type { Sql } from '../storage/database/sql.ts';
import type { Files } from '../storage/file-store/files.ts';
import { createAccounts } from './agents/accounts.ts';
import { createAgents, createToolTrials, type ToolTrials } from './agents/agents.ts';
import { type BudgetStore, createBudgetStore } from './agents/budget-store.ts';
import { meteredModels } from './agents/metered-models.ts';
import { type Apps, createApps } from './apps/apps.ts';
import { type AppPages, openAppPages, openDbApps } from './apps/db-apps.ts';
import { type Conversations, conversationsWithFiles } from './service/conversations.ts';
import { createSqlConversations } from './service/sql-conversations.ts';

/** The parts of chats: the service, apps and agents. */
export interface Chat {
  readonly apps: Apps;
  /** The public chat pages of apps. */
  readonly pages: AppPages;
  readonly conversations: Conversations;
  readonly budgets: BudgetStore;
  /** The service for operators. */
  readonly agents: AgentService;
  readonly mcp: McpService;
  /** For people who write agents. */
  readonly toolTrials: ToolTrials;
  /** The models within the budgets of their callers, for operators. */
  readonly models: ModelService;
  /** Stores the usage that the budgets have counted. */
  close(): Promise<void>;
}

interface ChatDeps {
  readonly stores: AppStores;
  readonly sql: Sql;
  readonly files: Files;
  readonly integrations: Pick<Integrations, 'http' | 'data' | 'files' | 'knowledge' | 'models'>;
  readonly secrets: SecretStore;
  readonly state: StateService;
  readonly flows: FlowService;
  readonly execution: Pick<Execution, 'runs' | 'subFlows'>;
  /** Has its services. */
  readonly host: Host;
  /** Unix milliseconds, by the clock that servers share: of `host` for messages, and of the storage for accounts. */
  readonly now: () => number;
  readonly storageNow: () => number;
}

/** The stores of apps and agents. */
export type AppStores = Pick<Chat, 'apps' | 'pages' | 'budgets'>;

/** Opened before anything is written: throws a `StartError` if one of them is damaged. */
export async function openAppStores({ clock }: Base, documents: Db): Promise<AppStores> {
  return {
    apps: createApps(await openDbApps(documents), clock),
    pages: await openAppPages(documents),
    budgets: createBudgetStore(documents),
  };
}

export function openChat({ log }: Base, deps: ChatDeps): Chat {
  const { integrations, flows, execution, host } = deps;
  const { apps, budgets } = deps.stores;
  const { models: known, http, data, knowledge } = integrations;
  const { runs, subFlows } = execution;
  const warn = (message: string): void => log.warn(message);
  const accounts = createAccounts({ budgets: budgets.get, state: deps.state, now: deps.storageNow, warn });
  const tools = {
    live: flows.live.bind(flows),
    flows: subFlows,
    http,
    files: integrations.files,
    knowledge: knowledge.service,
    data,
    secrets: deps.secrets,
  };
  const agents = createAgents({
    ...tools,
    apps,
    models: known,
    accounts,
    keyOf: (run) => rootRequest(runs, run)?.apiKey,
    host,
  });
  return {
    ...deps.stores,
    conversations: conversationsWithFiles(createSqlConversations(deps.sql, deps.now), deps.files),
    agents,
    mcp: lazyService<McpService, 'ask'>(
      lazy(async () => (await import('./agents/tools/mcp-ask.ts')).createMcpService({ http })),
      ['ask'],
    ),
    // A trial has no run that its flows could be parts of, and that could hold files.
    toolTrials: createToolTrials({ ...tools, flows: { run: subFlows.alone }, files: undefined }),
    models: meteredModels({ models: known, accounts, budgets: budgets.get, runs, host }),
    close: () => accounts.close(),
  };
}
