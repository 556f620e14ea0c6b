import { z } from 'zod';
import type { App } from '#shared/app.ts';
import type { Context } from './context.ts';
import { ok } from '../../access/http/envelope.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { appOf, appSchemas, changeApp, collectApp, makeApp, removeApp, sendSaved } from './app-actions.ts';
import { defineRoute } from './define-route.ts';

/** Reading apps: available with and without the editor. */
export const appLookUp = [
  defineRoute({
    method: 'GET',
    url: '/api/v2/serve/apps',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'List a page of apps, newest first.',
    guide: 'apps',
    query: async () => (await appSchemas()).AppListQuery,
    answer: async () => (await appSchemas()).AppPage,
    handle: ({ apps }, { query }) => apps.list(query),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v2/serve/apps/:app_code',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'Get an app.',
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found'],
    handle: async (ctx, { reply, params }) =>
      reply.type('application/json; charset=utf-8').send(written(await appOf(ctx, params.app_code))),
  }),
];

const answers = new WeakMap<App, string>();

/** An app as JSON. A returned app never changes, so it is serialized once. */
function written(app: App): string {
  const known = answers.get(app);
  if (known !== undefined) return known;
  const text = JSON.stringify(ok(app));
  answers.set(app, text);
  return text;
}

/** Creating and changing apps. */
export const appManagement = [
  defineRoute({
    method: 'POST',
    url: '/api/v2/serve/apps',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Create an app.',
    guide: 'apps',
    body: async () => (await appSchemas()).AppBody,
    answer: async () => (await appSchemas()).App,
    status: 201,
    errors: ['app_name_taken', 'storage_failed'],
    async handle(ctx, { request, reply, body }) {
      const made = await makeApp(ctx, request, body);
      return sendSaved(ctx, reply.header('location', `/api/v2/serve/apps/${made.app_code}`), made);
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v2/serve/apps/:app_code',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Update an app; absent fields stay as they are, null empties a field.',
    body: async () => (await appSchemas()).AppBody,
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found', 'app_name_taken', 'storage_failed'],
    async handle(ctx, { request, reply, params, body }) {
      const code = await codeMeant(ctx, params.app_code, body.app_code);
      return sendSaved(ctx, reply, await changeApp(ctx, request, code, body));
    },
  }),

  // The query is ignored: callers of DB-GPT must send `user_code` and `sys_code`.
  defineRoute({
    method: 'DELETE',
    url: '/api/v2/serve/apps/:app_code',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Delete an app.',
    answer: () => z.array(z.never()).describe('Always empty.'),
    errors: ['app_not_found'],
    handle: (ctx, { request, params }) => removeApp(ctx, request, params.app_code),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v2/serve/apps/:app_code/collect',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Mark an app as collected, for `is_collected=true`.',
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found'],
    handle: (ctx, { request, params }) => collectApp(ctx, request, params.app_code, true),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v2/serve/apps/:app_code/uncollect',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Remove the mark of a collected app.',
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found'],
    handle: (ctx, { request, params }) => collectApp(ctx, request, params.app_code, false),
  }),
];

/**
 * Callers of DB-GPT name the app in the body and may put anything in the address. If both name an app, and not
 * the same one, either could be meant.
 */
async function codeMeant(
  { apps }: Context,
  address: string,
  body: string | null | undefined,
): Promise<string> {
  if (!body || body === address) return address;
  if ((await apps.get(address)) === undefined) return body;
  const what =
    'The address names one app and `app_code` in the body another: omit `app_code`, or make them the same.';
  throw new ServiceError('invalid_request', what, { param: 'app_code' });
}
