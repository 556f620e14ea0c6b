import { z } from 'zod';
import { CreatedKey, KeyBody, KeyInfo } from '#shared/key.ts';
import { audit } from '../../access/security/audit.ts';
import { defineRoute } from './define-route.ts';

/** `/api/v1/keys`: a key is shown once, in the answer to the request that creates it. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/keys',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List all API keys: names, scopes, expiry and last use; never the keys themselves.',
    guide: 'keys',
    answer: () => z.array(KeyInfo),
    handle: ({ keys }) => keys.list(),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/keys',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Create an API key. Only this answer contains the key.',
    guide: 'keys',
    body: () => KeyBody,
    answer: () => CreatedKey,
    status: 201,
    errors: ['conflict', 'storage_failed'],
    async handle(ctx, { request, body }) {
      const created = await ctx.keys.create(body);
      const { id, name, scopes, expiresAt, perMinute } = created;
      audit(ctx, request, 'API key made', { key: name, keyId: id, scopes, expiresAt, perMinute });
      return created;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/keys/:id',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Revoke an API key, by id or name: it is refused from now on.',
    answer: () => z.null(),
    errors: ['key_not_found', 'key_read_only', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const { id, name } = await ctx.keys.revoke(params.id);
      audit(ctx, request, 'API key revoked', { key: name, keyId: id });
      return null;
    },
  }),
];
