import type { ModelInfo, ProviderBody, ProviderInfo, ProviderTrial } from '#shared/model-provider.ts';
import { call } from './client.ts';

/** Models, and the providers that they come from. */
const PROVIDERS = '/api/v1/providers';
const schemas = () => import('./service-schemas.ts');
const at = (id: string): string => `${PROVIDERS}/${encodeURIComponent(id)}`;

export const listModels = (): Promise<ModelInfo[]> =>
  call(async () => (await schemas()).Models, 'GET', '/api/v1/models');

export const listProviders = (): Promise<ProviderInfo[]> =>
  call(async () => (await schemas()).Providers, 'GET', PROVIDERS);

export const saveProvider = (id: string, body: ProviderBody): Promise<ProviderInfo> =>
  call(async () => (await schemas()).ProviderInfo, 'PUT', at(id), { body });

export const removeProvider = (id: string): Promise<unknown> => call((s) => s.Anything, 'DELETE', at(id));

/** Asks its first model for a word. */
export const tryProvider = (id: string): Promise<ProviderTrial> =>
  call(async () => (await schemas()).ProviderTrial, 'POST', `${at(id)}/try`);
