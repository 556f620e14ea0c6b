import type { AgentBudgets } from '#shared/agent-budget.ts';
import type { DeletedFlow } from '#shared/api.ts';
import type { AuditPage } from '#shared/audit.ts';
import type { DeadLetterPage, Retried } from '#shared/calls-api.ts';
import type { ServerSetting } from '#shared/node.ts';
import type { Hook, HookPage } from '#shared/hook-api.ts';
import type { Source } from '#shared/package-api.ts';
import type { Usage } from '#shared/usage.ts';
import { call } from './client.ts';

/** Requests of the screens for operating a server. */
const schemas = () => import('./service-schemas.ts');
const searchOf = (query: Readonly<Record<string, string | undefined>>): string => {
  const said = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return said.length > 0 ? `?${new URLSearchParams(said)}` : '';
};

export const listSources = (signal?: AbortSignal): Promise<readonly Source[]> =>
  call(async () => (await schemas()).Sources, 'GET', '/api/v1/sources', { signal });

/** The registrations of the triggers of a flow at services. */
export const listHooks = (flow: string): Promise<readonly Hook[]> =>
  call(async () => (await schemas()).Hooks, 'GET', `/api/v1/flows/${encodeURIComponent(flow)}/hooks`);

/** A page of those of all flows. */
export const listAllHooks = (after?: string): Promise<HookPage> =>
  call(async () => (await schemas()).HookPage, 'GET', `/api/v1/hooks${searchOf({ after, limit: '200' })}`);

/** Forgets a registration for another public address, without asking the service. */
export const forgetHook = (id: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', `/api/v1/hooks/${encodeURIComponent(id)}`);

/** `replace`: also where another server has registered its address. */
export const registerHook = (flow: string, node: string, replace: boolean): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `/api/v1/hooks/${encodeURIComponent(flow)}/${encodeURIComponent(node)}`, {
    body: { replace },
  });

const LETTERS = '/api/v1/dead-letters';

export const listDeadLetters = (before?: string): Promise<DeadLetterPage> =>
  call(
    async () => (await schemas()).DeadLetterPage,
    'GET',
    `${LETTERS}${searchOf({ before, limit: '200' })}`,
  );

/** Those that cannot be retried stay, and are listed in `failed`. */
export const retryDeadLetters = (runs: readonly string[], version: 'same' | 'live'): Promise<Retried> =>
  call(async () => (await schemas()).Retried, 'POST', `${LETTERS}/retry`, { body: { runs, version } });

export const dropDeadLetters = (runs: readonly string[]): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `${LETTERS}/drop`, { body: { runs } });

export const listAudit = (before?: string): Promise<AuditPage> =>
  call(async () => (await schemas()).AuditPage, 'GET', `/api/v1/audit${searchOf({ before, limit: '200' })}`);

export const getUsage = (by: Usage['by'], since: string): Promise<Usage> =>
  call(async () => (await schemas()).Usage, 'GET', `/api/v1/usage${searchOf({ by, since })}`);

const BUDGETS = '/api/v1/budgets';
const budgets = async () => (await import('#shared/agent-budget.ts')).AgentBudgets;

export const getBudgets = (): Promise<AgentBudgets> => call(budgets, 'GET', BUDGETS);

/** Replaces all of them. */
export const saveBudgets = (body: AgentBudgets): Promise<AgentBudgets> =>
  call(budgets, 'PUT', BUDGETS, { body });

const TRASH = '/api/v1/trash';
const inTrash = ({ id, at }: DeletedFlow): string => `${TRASH}/${encodeURIComponent(id)}/${at}`;

export const listDeletedFlows = (): Promise<readonly DeletedFlow[]> =>
  call(async () => (await schemas()).DeletedFlows, 'GET', TRASH);

/** It becomes a draft, under its id. */
export const restoreDeletedFlow = (which: DeletedFlow): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `${inTrash(which)}/restore`);

export const dropDeletedFlow = (which: DeletedFlow): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', inTrash(which));

export const listSettings = (): Promise<readonly ServerSetting[]> =>
  call(async () => (await schemas()).ServerSettings, 'GET', '/api/v1/settings');
