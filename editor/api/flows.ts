import type { FlowDetail, FlowSummary, SecretBody, SecretInfo, Variable } from '#shared/api.ts';
import type { Catalog } from '#shared/catalog.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { Layout } from '#shared/layout.ts';
import { askAhead, call } from './client.ts';

/** The native flows API, one function per call. */
const at = (id: string): string => `/api/v1/flows/${encodeURIComponent(id)}`;

const FLOWS_WITH_SCHEMAS = '/api/v1/flows?schemas=true';
const OPERATORS = '/api/v1/operators';
const SECRETS = '/api/v1/secrets';
const CONNECTIONS = '/api/v1/connections';
const VARIABLES = '/api/v1/variables';

/** Prefetches everything that opening a flow needs. */
export function askForFlow(id: string): void {
  askAhead(['/api/v1/session', at(id), OPERATORS, FLOWS_WITH_SCHEMAS, VARIABLES, SECRETS, CONNECTIONS]);
}

export const listFlows = (): Promise<FlowSummary[]> => call((s) => s.FlowSummaries, 'GET', '/api/v1/flows');

/** Also what each live flow takes and returns, for checks of the flows that call it. */
export const listFlowsWithSchemas = (): Promise<FlowSummary[]> =>
  call((s) => s.FlowSummaries, 'GET', FLOWS_WITH_SCHEMAS);

export const getFlow = (id: string): Promise<FlowDetail> => call((s) => s.FlowDetail, 'GET', at(id));

/** As a draft: what the editor makes is live once it is published. */
export const createFlow = (id: string, text: string): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'POST', '/api/v1/flows', { body: { id, text, mode: 'draft' } });

/** Saves the draft. `base`: the live version that the text contains, if that went live after the draft was begun. */
export const saveFlow = (id: string, text: string, revision: string, base?: string): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'PUT', at(id), {
    body: { text, revision, mode: 'draft', ...(base !== undefined && { base }) },
  });

/** Saves a flow that has no draft: it goes live, or becomes a draft, as the server is set up. */
export const saveUndrafted = (id: string, text: string, revision: string): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'PUT', at(id), { body: { text, revision } });

export const saveLayout = (id: string, layout: Layout): Promise<Layout> =>
  call((s) => s.Layout, 'PUT', `${at(id)}/layout`, { body: layout });

export const removeFlow = (id: string, revision: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', `${at(id)}?revision=${encodeURIComponent(revision)}`);

export const publishFlow = (id: string, revision: string, label?: string): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'POST', `${at(id)}/publish`, { body: { revision, ...(label && { label }) } });

/** Makes an earlier version live again. The draft stays. */
export const restoreVersion = (id: string, version: string, revision: string): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'POST', `${at(id)}/versions/${encodeURIComponent(version)}/restore`, {
    body: { revision },
  });

export const discardDraft = (id: string, revision: string): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'POST', `${at(id)}/discard`, { body: { revision } });

export const getVersionText = async (id: string, version: string): Promise<string> =>
  (await call((s) => s.VersionText, 'GET', `${at(id)}/versions/${encodeURIComponent(version)}`)).text;

export const loadCatalog = (): Promise<Catalog> => call((s) => s.Catalog, 'GET', OPERATORS);

export const listSecrets = (): Promise<SecretInfo[]> => call((s) => s.Secrets, 'GET', SECRETS);

export const saveSecret = (name: string, body: SecretBody): Promise<SecretInfo> =>
  call((s) => s.SecretInfo, 'PUT', `/api/v1/secrets/${encodeURIComponent(name)}`, { body });

export const removeSecret = (name: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', `/api/v1/secrets/${encodeURIComponent(name)}`);

export const listConnections = (): Promise<ConnectionInfo[]> =>
  call((s) => s.Connections, 'GET', CONNECTIONS);

export const listVariables = (): Promise<Variable[]> => call((s) => s.Variables, 'GET', VARIABLES);

const variableAt = (name: string): string => `${VARIABLES}/${encodeURIComponent(name)}`;

export const saveVariable = (name: string, value: unknown): Promise<unknown> =>
  call((s) => s.Anything, 'PUT', variableAt(name), { body: { value } });

/** Flows that read it get a problem. */
export const removeVariable = (name: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', variableAt(name));
