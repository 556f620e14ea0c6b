import { z } from 'zod';
import { App, AppBody, AppListQuery, AppPage } from '#shared/app.ts';
import { EditBody, ListBody, NamedApp } from '../../../apps/older-api.ts';
import type { RouteDescriptions, RouteGroup } from '../description.ts';

const notThere = ['app_not_found'] as const;
const changing = ['app_not_found', 'app_name_taken', 'storage_failed'] as const;
const gone = z.array(z.never()).describe('Always empty.');

const older: RouteDescriptions = {
  'POST /api/v1/app/list': {
    summary: 'Older: the list; `page_no`, `user_code` and `name_filter` in the body.',
    body: ListBody,
    data: AppPage,
  },
  'POST /api/v1/app/detail': {
    summary: 'Older: one app.',
    body: NamedApp,
    data: App,
    errors: notThere,
  },
  'POST /api/v1/app/create': {
    summary: 'Older: makes an app.',
    body: AppBody,
    data: App,
    errors: ['app_name_taken', 'storage_failed'],
  },
  'POST /api/v1/app/edit': {
    summary: 'Older: changes the app that `app_code` names.',
    body: EditBody,
    data: App,
    errors: changing,
  },
  'POST /api/v1/app/remove': {
    summary: 'Older: removes an app.',
    body: NamedApp,
    data: gone,
    errors: notThere,
  },
  'POST /api/v1/app/collect': {
    summary: 'Older: marks an app.',
    body: NamedApp,
    data: App,
    errors: notThere,
  },
  'POST /api/v1/app/uncollect': {
    summary: 'Older: takes the mark away.',
    body: NamedApp,
    data: App,
    errors: notThere,
  },
  'GET /api/v1/agents/list': {
    summary: 'What a form may offer as `agent_name`; any other name will do.',
    data: z.array(z.object({ name: z.string(), desc: z.string() })),
  },
  'GET /api/v1/team-mode/list': { summary: 'The values of `team_mode`.', data: z.array(z.string()) },
  'GET /api/v1/llm-strategy/list': { summary: 'The values of `llm_strategy`.', data: z.array(z.string()) },
  'GET /api/v1/resource-type/list': { summary: 'The usual types of resources.', data: z.array(z.string()) },
};

export const apps: RouteGroup = {
  tag: 'Apps',
  routes: {
    'GET /api/v2/serve/apps': {
      summary: 'A page of apps, newest first.',
      guide: 'apps',
      query: AppListQuery,
      data: AppPage,
    },
    'POST /api/v2/serve/apps': {
      summary: 'Makes an app.',
      guide: 'apps',
      body: AppBody,
      data: App,
      status: 201,
      errors: ['app_name_taken', 'storage_failed'],
    },
    'GET /api/v2/serve/apps/:app_code': { summary: 'One app.', data: App, errors: notThere },
    'PUT /api/v2/serve/apps/:app_code': {
      summary: 'Changes an app; what is left out stays, null empties.',
      body: AppBody,
      data: App,
      errors: changing,
    },
    'DELETE /api/v2/serve/apps/:app_code': { summary: 'Removes an app.', data: gone, errors: notThere },
    'POST /api/v2/serve/apps/:app_code/collect': {
      summary: 'Marks an app, for `is_collected=true`.',
      data: App,
      errors: notThere,
    },
    'POST /api/v2/serve/apps/:app_code/uncollect': {
      summary: 'Takes the mark away.',
      data: App,
      errors: notThere,
    },
    ...older,
  },
};
