import { WeftError } from '#engine';
import { z } from 'zod';
import {
  DiscoveredModels,
  ModelInfo,
  ModelSettings,
  ModelSettingsInfo,
  ProviderBody,
  ProviderDiscovery,
  ProviderInfo,
  ProviderTrial,
} from '#shared/model-provider.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { fullMessage, tryProvider } from '../../integrations/models/try-provider.ts';
import { defineRoute } from './define-route.ts';

/** The default models, and the other names of models. */
const settings = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/models/settings',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Get the default models, and other names that clients may use for models.',
    guide: 'models',
    answer: () => ModelSettingsInfo,
    handle: (ctx) => settingsOf(ctx),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/models/settings',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Replace the default models and the other names of models.',
    guide: 'models',
    body: () => ModelSettings,
    answer: () => ModelSettingsInfo,
    errors: ['storage_failed'],
    async handle(ctx, { request, body: asked }) {
      const { models, modelSettings } = ctx;
      const { chat, embedding, aliases } = asked;
      const chatModels = new Set(models.list().flatMap(({ id, use }) => (use === 'chat' ? [id] : [])));
      if (chat !== undefined && !chatModels.has(chat)) throw noModel('chat', chat);
      const vectors = models.list().filter(({ use }) => use === 'embedding');
      if (embedding !== undefined && vectors.every(({ id }) => id !== embedding))
        throw noModel('embedding', embedding);
      const lost = Object.entries(aliases).find(([, name]) => models.list().every(({ id }) => id !== name));
      if (lost) throw noModel(`aliases.${lost[0]}`, lost[1]);
      await modelSettings.set(asked);
      audit(ctx, request, 'settings of models changed', asked);
      return settingsOf(ctx);
    },
  }),
];

/** `/api/v1/providers`: the providers of models. Their keys are secrets, shown only by name. */
export default [
  ...settings,

  defineRoute({
    method: 'GET',
    url: '/api/v1/models',
    scope: 'flows:read',
    tag: 'Administration',
    summary: 'List all models with their kind of use and prices; the default ones are marked.',
    answer: () => z.array(ModelInfo),
    handle: ({ models }) => models.list(),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/providers',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List the providers of models; keys are shown only by the names of their secrets.',
    guide: 'models',
    answer: () => z.array(ProviderInfo),
    handle: ({ providers }) => providers.list(),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/providers/:id',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Create or replace a provider.',
    guide: 'models',
    body: () => ProviderBody,
    answer: () => ProviderInfo,
    errors: ['provider_read_only', 'storage_failed'],
    async handle(ctx, { request, params: { id }, body }) {
      const isNew = !isThere(ctx, id);
      const before = defaultOf(ctx);
      const info = await ctx.providers.put(id, body);
      await keepDefault(ctx, before);
      const { type, baseUrl, key, allow } = info;
      const what = isNew ? 'provider made' : 'provider changed';
      audit(ctx, request, what, { provider: id, type, baseUrl, key, allow });
      return info;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/providers/discover',
    scope: 'admin',
    masked: true,
    tag: 'Administration',
    summary: 'List the models that a provider offers, before or after it is saved.',
    guide: 'models',
    body: () => ProviderDiscovery,
    answer: () => DiscoveredModels,
    errors: ['model_refused', 'model_unavailable', 'model_bad_answer', 'outbound_refused'],
    async handle(ctx, { request, body: asked }) {
      const { discoverModels } = await import('../../integrations/models/discover.ts');
      audit(ctx, request, 'models of a provider listed', asked);
      try {
        return await discoverModels(asked, { http: ctx.providerHttp, secrets: ctx.secrets });
      } catch (error) {
        throw error instanceof WeftError ? new WeftError(error.code, fullMessage(error)) : error;
      }
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/providers/:id',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Delete a provider.',
    answer: () => z.null(),
    errors: ['provider_not_found', 'provider_read_only', 'storage_failed'],
    async handle(ctx, { request, params: { id } }) {
      await ctx.providers.remove(id);
      audit(ctx, request, 'provider removed', { provider: id });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/providers/:id/try',
    scope: 'admin',
    masked: true,
    tag: 'Administration',
    summary:
      'Test a provider: its first model is asked for one word, which shows whether address, key and name are right.',
    answer: () => ProviderTrial,
    errors: ['provider_not_found'],
    async handle(ctx, { request, params: { id } }) {
      if (!isThere(ctx, id)) throw new ServiceError('provider_not_found', `There is no provider ${id}.`);
      audit(ctx, request, 'provider tried', { provider: id });
      return tryProvider(ctx.models, id, () => ctx.host.now());
    },
  }),
];

function isThere({ providers }: Context, id: string): boolean {
  return providers.list().some((provider) => provider.id === id);
}

function settingsOf({ modelSettings, config }: Context): ModelSettingsInfo {
  const fixed = { ...(config.model !== undefined && { chat: config.model }), aliases: config.modelAliases };
  return { ...modelSettings.get(), fixed };
}

function noModel(param: string, name: string): ServiceError {
  const message = `${param}: there is no model ${name}; write <provider>/<model>, as GET /api/v1/models lists them.`;
  return new ServiceError('invalid_request', message, { param });
}

function defaultOf({ models }: Context): string | undefined {
  return models.list().find(({ default: isDefault, use }) => isDefault && use === 'chat')?.id;
}

/** A new provider whose name sorts first must not silently become the default; it may replace only the demo. */
async function keepDefault(ctx: Context, before: string | undefined): Promise<void> {
  const { models, modelSettings } = ctx;
  const isStillThere = models.list().some(({ id }) => id === before);
  if (before === undefined || before.startsWith('demo/') || !isStillThere || defaultOf(ctx) === before)
    return;
  await modelSettings.set({ ...modelSettings.get(), chat: before });
}
