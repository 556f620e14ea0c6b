import type { FastifyInstance } from 'fastify';
import { SecretBody } from '#shared/api.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { readPart } from '../requests/read-part.ts';

interface OneSecret {
  Params: { name: string };
}

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/secrets`: values go in and never come out. */
export default async function secretRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { secrets, flows } = ctx;

  app.get('/api/v1/secrets', ADMIN, () => ok(secrets.list()));

  app.put<OneSecret>('/api/v1/secrets/:name', ADMIN, async (request) => {
    const { name } = request.params;
    if (!ID_PATTERN.test(name)) {
      const rule = 'A secret is named like an id: a lower-case letter, then a-z, 0-9 and _.';
      throw new ServiceError('invalid_request', rule, { param: 'name' });
    }
    const change = readPart(SecretBody, request.body, 'body');
    const isNew = !secrets.list().some((secret) => secret.name === name);
    if (isNew && change.grants === undefined) {
      const question =
        'Say in `grants` who may use it: {"hosts": […], "operators": […], "flows": […]}, or {} for nobody yet.';
      throw new ServiceError('invalid_request', question, { param: 'grants' });
    }
    const info = await secrets.put(name, change);
    audit(ctx, request, isNew ? 'secret made' : 'secret changed', {
      secret: name,
      value: change.value === undefined ? 'kept' : 'set',
      grants: info.grants,
    });
    await flows.worldChanged('secrets');
    return ok(info);
  });

  app.delete<OneSecret>('/api/v1/secrets/:name', ADMIN, async (request) => {
    const { name } = request.params;
    await secrets.remove(name);
    await flows.worldChanged('secrets');
    audit(ctx, request, 'secret removed', { secret: name });
    return ok(null);
  });
}
