import type { FastifyInstance } from 'fastify';
import { KeyBody } from '#shared/key.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { readPart } from '../requests/read-part.ts';

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/keys`: a key is shown once, in the answer to its making. */
export default async function keyRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { keys } = ctx;

  app.get('/api/v1/keys', ADMIN, () => ok(keys.list()));

  app.post('/api/v1/keys', ADMIN, async (request, reply) => {
    const created = await keys.create(readPart(KeyBody, request.body, 'body'));
    const { id, name, scopes, expiresAt } = created;
    audit(ctx, request, 'API key made', { key: name, keyId: id, scopes, expiresAt });
    return reply.code(201).send(ok(created));
  });

  app.delete<{ Params: { id: string } }>('/api/v1/keys/:id', ADMIN, async (request) => {
    const { id, name } = await keys.revoke(request.params.id);
    audit(ctx, request, 'API key revoked', { key: name, keyId: id });
    return ok(null);
  });
}
