import type { FastifyInstance } from 'fastify';
import { WeftError } from '#engine';
import {
  ModelSettings,
  type ModelSettingsInfo,
  ProviderBody,
  ProviderDiscovery,
} from '#shared/model-provider.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { fullMessage, tryProvider } from '../models/try-provider.ts';
import { readPart } from '../requests/read-part.ts';

interface OneProvider {
  Params: { id: string };
}

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/providers`: where models come from. Keys are secrets, of which the names are told only. */
export default async function providerRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { providers, models, host } = ctx;
  addModelSettings(app, ctx);

  app.get('/api/v1/models', { config: { scope: 'flows:read' } }, () => ok(models.list()));

  app.get('/api/v1/providers', ADMIN, () => ok(providers.list()));

  app.put<OneProvider>('/api/v1/providers/:id', ADMIN, async (request) => {
    const { id } = request.params;
    const isNew = !providers.list().some((provider) => provider.id === id);
    const before = defaultOf(ctx);
    const info = await providers.put(id, readPart(ProviderBody, request.body, 'body'));
    await keepDefault(ctx, before);
    const { type, baseUrl, key, allow } = info;
    const what = isNew ? 'provider made' : 'provider changed';
    audit(ctx, request, what, { provider: id, type, baseUrl, key, allow });
    return ok(info);
  });

  app.post('/api/v1/providers/discover', ADMIN, async (request) => {
    const asked = readPart(ProviderDiscovery, request.body, 'body');
    const { discoverModels } = await import('../models/discover.ts');
    audit(ctx, request, 'models of a provider listed', asked);
    try {
      return ok(await discoverModels(asked, { http: ctx.providerHttp, secrets: ctx.secrets }));
    } catch (error) {
      throw error instanceof WeftError ? new WeftError(error.code, fullMessage(error)) : error;
    }
  });

  app.delete<OneProvider>('/api/v1/providers/:id', ADMIN, async (request) => {
    const { id } = request.params;
    await providers.remove(id);
    audit(ctx, request, 'provider removed', { provider: id });
    return ok(null);
  });

  app.post<OneProvider>('/api/v1/providers/:id/try', ADMIN, async (request) => {
    const { id } = request.params;
    if (!providers.list().some((provider) => provider.id === id))
      throw new ServiceError('provider_not_found', `There is no provider ${id}.`);
    audit(ctx, request, 'provider tried', { provider: id });
    return ok(await tryProvider(models, id, () => host.now()));
  });
}

/** Which model is asked where none is named, and the other names of models. */
function addModelSettings(app: FastifyInstance, ctx: Context): void {
  const { models, modelSettings, config } = ctx;
  const told = (): ModelSettingsInfo => ({
    ...modelSettings.get(),
    fixed: { ...(config.model !== undefined && { chat: config.model }), aliases: config.modelAliases },
  });

  app.get('/api/v1/models/settings', ADMIN, () => ok(told()));

  app.put('/api/v1/models/settings', ADMIN, async (request) => {
    const asked = readPart(ModelSettings, request.body, 'body');
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
    return ok(told());
  });
}

function noModel(param: string, name: string): ServiceError {
  const message = `${param}: there is no model ${name}; write <provider>/<model>, as GET /api/v1/models lists them.`;
  return new ServiceError('invalid_request', message, { param });
}

function defaultOf({ models }: Context): string | undefined {
  return models.list().find(({ default: isDefault, use }) => isDefault && use === 'chat')?.id;
}

/** A new provider whose name comes first must not become the default of everybody unasked; only the demo gives way. */
async function keepDefault(ctx: Context, before: string | undefined): Promise<void> {
  const { models, modelSettings } = ctx;
  const isThere = models.list().some(({ id }) => id === before);
  if (before === undefined || before.startsWith('demo/') || !isThere || defaultOf(ctx) === before) return;
  await modelSettings.set({ ...modelSettings.get(), chat: before });
}
