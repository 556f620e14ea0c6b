import type { ServiceAdding, ServiceChoices, ServiceInfo, ServiceOffer } from '#shared/service-api.ts';
import { call } from './client.ts';

/** Services: files of data whose calls are operators. */
const SERVICES = '/api/v1/services';
const schemas = () => import('#shared/service-api.ts');

export const listServices = (): Promise<readonly ServiceInfo[]> =>
  call(async () => (await schemas()).ServiceInfo.array(), 'GET', SERVICES);

/** Where the description of an API is, or the description itself. */
export type Description = Pick<ServiceAdding, 'address' | 'text'>;

export const readDescription = (body: Description): Promise<ServiceOffer> =>
  call(async () => (await schemas()).ServiceOffer, 'POST', `${SERVICES}/read`, { body });

export const addService = (body: Partial<ServiceAdding>): Promise<ServiceInfo> =>
  call(async () => (await schemas()).ServiceInfo, 'POST', SERVICES, { body });

export const removeService = (id: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', `${SERVICES}/${encodeURIComponent(id)}`);

/** The choices for a param of a node. */
export const listChoices = (
  body: Readonly<Record<'flow' | 'operator' | 'param', string>> & {
    readonly params: Readonly<Record<string, unknown>>;
    readonly search: string;
    readonly limit: number;
    readonly fresh: boolean;
  },
): Promise<ServiceChoices> =>
  call(async () => (await schemas()).ServiceChoices, 'POST', `${SERVICES}/choices`, { body });
