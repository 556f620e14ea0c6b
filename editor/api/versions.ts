import type { FlowVersion } from '#shared/api.ts';
import { call } from './client.ts';

/** Versions of a flow: its earlier live states. */
const at = (flow: string): string => `/api/v1/flows/${encodeURIComponent(flow)}/versions`;
const schemas = () => import('./version-schemas.ts');

export const listVersions = (flow: string): Promise<FlowVersion[]> =>
  call(async () => (await schemas()).Versions, 'GET', at(flow));

/** An empty label removes the name. */
export const labelVersion = (flow: string, version: string, label: string): Promise<unknown> =>
  call((s) => s.Anything, 'PUT', `${at(flow)}/${version}/label`, { body: { label: label || null } });
