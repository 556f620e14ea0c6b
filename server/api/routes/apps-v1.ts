import { z } from 'zod';
import { appOf, appSchemas, changeApp, collectApp, makeApp, removeApp, sendSaved } from './app-actions.ts';
import { defineRoute } from './define-route.ts';

/** Loaded by the first request, for the reason given in `app-actions.ts`. */
const olderApi = () => import('../../chat/apps/older-api.ts');

/** `/api/v1/app/*` and the related lists: DB-GPT's older API, as aliases of `/api/v2/serve/apps`. */
export default [
  defineRoute({
    method: 'POST',
    url: '/api/v1/app/list',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'List apps (older API); `page_no`, `user_code` and `name_filter` are in the body.',
    body: async () => (await olderApi()).ListBody,
    answer: async () => (await appSchemas()).AppPage,
    handle: ({ apps }, { body }) => apps.list(body),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/app/detail',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'Get an app (older API).',
    body: async () => (await olderApi()).NamedApp,
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found'],
    handle: (ctx, { body }) => appOf(ctx, body.app_code),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/app/create',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Create an app (older API).',
    body: async () => (await appSchemas()).AppBody,
    answer: async () => (await appSchemas()).App,
    errors: ['app_name_taken', 'storage_failed'],
    handle: async (ctx, { request, reply, body }) => sendSaved(ctx, reply, await makeApp(ctx, request, body)),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/app/edit',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Update the app with this `app_code` (older API).',
    body: async () => (await olderApi()).EditBody,
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found', 'app_name_taken', 'storage_failed'],
    handle: async (ctx, { request, reply, body }) =>
      sendSaved(ctx, reply, await changeApp(ctx, request, body.app_code, body)),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/app/collect',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Mark an app as collected (older API).',
    body: async () => (await olderApi()).NamedApp,
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found'],
    handle: (ctx, { request, body }) => collectApp(ctx, request, body.app_code, true),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/app/uncollect',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Remove the mark of a collected app (older API).',
    body: async () => (await olderApi()).NamedApp,
    answer: async () => (await appSchemas()).App,
    errors: ['app_not_found'],
    handle: (ctx, { request, body }) => collectApp(ctx, request, body.app_code, false),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/app/remove',
    scope: 'apps:write',
    tag: 'Apps',
    summary: 'Delete an app (older API).',
    body: async () => (await olderApi()).NamedApp,
    answer: () => z.array(z.never()).describe('Always empty.'),
    errors: ['app_not_found'],
    handle: (ctx, { request, body }) => removeApp(ctx, request, body.app_code),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/agents/list',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'List suggestions for `agent_name`; any other name works too.',
    answer: () => z.array(z.object({ name: z.string(), desc: z.string() })),
    handle: async () => (await olderApi()).choicesOfForms.agents,
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/team-mode/list',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'List the values of `team_mode`.',
    answer: () => z.array(z.string()),
    handle: async () => (await olderApi()).choicesOfForms['team-mode'],
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/llm-strategy/list',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'List the values of `llm_strategy`.',
    answer: () => z.array(z.string()),
    handle: async () => (await olderApi()).choicesOfForms['llm-strategy'],
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/resource-type/list',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'List the usual types of resources.',
    answer: () => z.array(z.string()),
    handle: async () => (await olderApi()).choicesOfForms['resource-type'],
  }),
];
