import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { defineRoute } from './define-route.ts';
import { flowsThatMention, secretPattern } from './mentions.ts';

const api = () => import('#shared/api.ts');

/** `/api/v1/secrets`: values go in and never come out. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/secrets',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List all secrets: names and grants, never values.',
    answer: async () => z.array((await api()).SecretInfo),
    handle: ({ secrets }) => secrets.list(),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/secrets/:name',
    scope: 'admin',
    tag: 'Administration',
    summary:
      'Create or update a secret; absent fields stay as they are. A new one needs `value` and `grants`: lists of `operators`, `hosts` and `flows`, and every list that is present must allow a use; `{}` grants it to nobody.',
    body: async () => (await api()).SecretBody,
    answer: async () => (await api()).SecretInfo,
    errors: ['secret_read_only', 'storage_failed'],
    async handle(ctx, call) {
      const { secrets, flows } = ctx;
      const { name } = call.params;
      if (!ID_PATTERN.test(name)) {
        const rule = 'The name of a secret is an id: a lower-case letter, then a-z, 0-9 and _.';
        throw new ServiceError('invalid_request', rule, { param: 'name' });
      }
      const change = call.body;
      const isNew = !secrets.list().some((secret) => secret.name === name);
      if (isNew && change.grants === undefined) {
        const question =
          'Set `grants` to say who may use it: {"hosts": […], "operators": […], "flows": […]}, or {} for nobody yet.';
        throw new ServiceError('invalid_request', question, { param: 'grants' });
      }
      const info = await secrets.put(name, change);
      audit(ctx, call.request, isNew ? 'secret made' : 'secret changed', {
        secret: name,
        value: change.value === undefined ? 'kept' : 'set',
        grants: info.grants,
      });
      await flows.worldChanged('secrets');
      return info;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/secrets/:name/used-by',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List the flows that name a secret, in their draft or in what is live.',
    answer: async () => (await api()).NameUse,
    errors: ['secret_not_found'],
    handle(ctx, { params: { name } }) {
      if (!ctx.secrets.list().some((one) => one.name === name))
        throw new ServiceError('secret_not_found', `There is no secret ${name}.`);
      return flowsThatMention(ctx, secretPattern(name));
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/secrets/:name',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Delete a secret.',
    answer: () => z.null(),
    errors: ['secret_not_found', 'secret_read_only', 'storage_failed'],
    async handle(ctx, { request, params: { name } }) {
      await ctx.secrets.remove(name);
      await ctx.flows.worldChanged('secrets');
      audit(ctx, request, 'secret removed', { secret: name });
      return null;
    },
  }),
];
