import type { FlowActivity, FlowDetail, FlowPlaceBody, FlowUse, NameUse } from '#shared/api.ts';
import { call } from './client.ts';

/** Requests of the list of flows besides those for the flows themselves. */
const schemas = () => import('./service-schemas.ts');
const at = (id: string): string => `/api/v1/flows/${encodeURIComponent(id)}`;

/** Moves a flow to a folder, or tags it; what the body leaves out stays. */
export const placeFlow = (id: string, body: FlowPlaceBody): Promise<FlowDetail> =>
  call((s) => s.FlowDetail, 'PUT', `${at(id)}/place`, { body });

export const getUse = (id: string): Promise<FlowUse> =>
  call(async () => (await schemas()).FlowUse, 'GET', `${at(id)}/used-by`);

/** The flows that use a secret or a variable. */
export const getNameUse = (of: 'secrets' | 'variables', name: string): Promise<NameUse> =>
  call(async () => (await schemas()).NameUse, 'GET', `/api/v1/${of}/${encodeURIComponent(name)}/used-by`);

export const getActivity = (): Promise<FlowActivity> =>
  call(async () => (await schemas()).FlowActivity, 'GET', '/api/v1/flows/activity');
