import type { FastifyInstance } from 'fastify';
import { ProviderBody } from '#shared/model-provider.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { tryProvider } from '../models/try-provider.ts';
import { readPart } from './read-part.ts';

interface OneProvider {
  Params: { id: string };
}

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/providers`: where models come from. Keys are secrets, of which the names are told only. */
export default async function providerRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { providers, models, host } = ctx;

  app.get('/api/v1/models', { config: { scope: 'flows:read' } }, () => ok(models.list()));

  app.get('/api/v1/providers', ADMIN, () => ok(providers.list()));

  app.put<OneProvider>('/api/v1/providers/:id', ADMIN, async (request) => {
    const { id } = request.params;
    const isNew = !providers.list().some((provider) => provider.id === id);
    const info = await providers.put(id, readPart(ProviderBody, request.body, 'body'));
    const { type, baseUrl, key } = info;
    audit(ctx, request, isNew ? 'provider made' : 'provider changed', { provider: id, type, baseUrl, key });
    return ok(info);
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
