import type {
  DiscoveredModels,
  ModelInfo,
  ModelSettings,
  ModelSettingsInfo,
  ProviderBody,
  ProviderDiscovery,
  ProviderInfo,
  ProviderTrial,
} from '#shared/model-provider.ts';
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

/** Tests the provider's first model with a short question. */
export const tryProvider = (id: string): Promise<ProviderTrial> =>
  call(async () => (await schemas()).ProviderTrial, 'POST', `${at(id)}/try`);

/** Asks a provider, even an unsaved one, which models it has. */
export const discoverModels = (body: ProviderDiscovery): Promise<DiscoveredModels> =>
  call(async () => (await schemas()).DiscoveredModels, 'POST', `${PROVIDERS}/discover`, { body });

const SETTINGS = '/api/v1/models/settings';

/** The default models, and other names of models. */
export const readModelSettings = (): Promise<ModelSettingsInfo> =>
  call(async () => (await schemas()).ModelSettingsInfo, 'GET', SETTINGS);

export const saveModelSettings = (body: ModelSettings): Promise<ModelSettingsInfo> =>
  call(async () => (await schemas()).ModelSettingsInfo, 'PUT', SETTINGS, { body });
