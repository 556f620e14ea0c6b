import type { NodeOutputs } from '#shared/api.ts';
import type { DeadLetterPage } from '#shared/calls-api.ts';
import { ApiError, call } from './client.ts';

/** The part of the flow to run: one node (in a body: in that round, such as `loop#3`), or a node and all that depend on it. */
export type PartWish =
  | { readonly only: string; readonly round?: string | undefined }
  | { readonly from: string };

/** Partial runs, and the outputs that are pinned for them. */
const flowAt = (flow: string): string => `/api/v1/flows/${encodeURIComponent(flow)}`;
const pinAt = (flow: string, node: string): string => `${flowAt(flow)}/pins/${encodeURIComponent(node)}`;
const schemas = () => import('./service-schemas.ts');

/** The nodes of a refusal that asks whether they may change something outside; undefined for any other refusal. */
export function unaskedWrites(error: unknown): readonly string[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 'writes_need_yes') return undefined;
  return error.detail.flatMap(({ node }) => (typeof node === 'string' ? [node] : []));
}

export const getPins = (flow: string): Promise<NodeOutputs> =>
  call(async () => (await schemas()).NodeOutputs, 'GET', `${flowAt(flow)}/pins`);

/** Pins outputs. Outputs from a recorded run name that run, for their large values. Returns all pins of the flow. */
export const setPin = (
  flow: string,
  node: string,
  body: { outputs: NodeOutputs[string]; run?: string | undefined },
): Promise<NodeOutputs> =>
  call(async () => (await schemas()).NodeOutputs, 'PUT', pinAt(flow, node), { body });

/** Moves a pin to the new id of its node. */
export const renamePin = (flow: string, node: string, to: string): Promise<NodeOutputs> =>
  call(async () => (await schemas()).NodeOutputs, 'POST', `${pinAt(flow, node)}/rename`, { body: { to } });

/** Returns all pins that are left. */
export const removePin = (flow: string, node: string): Promise<NodeOutputs> =>
  call(async () => (await schemas()).NodeOutputs, 'DELETE', pinAt(flow, node));

/** Of the runs that outlived their request and failed for good: this one, or else the next older one of the flow. */
export const listDeadLetters = (flow: string, run: string): Promise<DeadLetterPage> =>
  call(
    async () => (await schemas()).DeadLetterPage,
    'GET',
    // Ids sort by start, and no id contains a character that sorts after this one.
    `/api/v1/dead-letters?limit=1&flow=${encodeURIComponent(flow)}&before=${encodeURIComponent(run)}~`,
  );

/** Retries a run that outlived its request from the failed step, as a new run of the same version. */
export const retryRun = (run: string): Promise<{ run: string }> =>
  call((s) => s.Begun, 'POST', `/api/v1/runs/${encodeURIComponent(run)}/retry`, { body: {} });

/** Runs what a run did not finish, of the draft or of the live version. Resolves when the new run has started. */
export const forkRun = (
  run: string,
  { draft, allowed }: { draft: boolean; allowed: readonly string[] | undefined },
): Promise<{ run: string }> =>
  call((s) => s.Begun, 'POST', `/api/v1/runs/${encodeURIComponent(run)}/fork`, {
    body: { draft, wait: false, ...(allowed && { allowWrites: allowed }) },
  });
