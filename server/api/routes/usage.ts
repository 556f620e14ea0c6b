import { defineRoute } from './define-route.ts';

const usageApi = () => import('#shared/usage.ts');

/** `/api/v1/usage`: tokens and cost of models. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/usage',
    scope: 'runs:read',
    tag: 'Administration',
    summary: 'Sum the tokens and cost of models over the given days.',
    guide: 'observability',
    query: async () => (await usageApi()).UsageQuery,
    answer: async () => (await usageApi()).Usage,
    errors: ['storage_failed'],
    handle: ({ usage }, { query }) => usage.sum(query),
  }),
];
