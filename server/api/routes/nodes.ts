import { z } from 'zod';
import { defineRoute } from './define-route.ts';

/** `/api/v1/nodes`: the servers that share a database. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/nodes',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List the servers that share the database; without a database, this one alone.',
    guide: 'cluster',
    query: async () => (await import('#shared/node.ts')).NodesQuery,
    answer: async () => z.array((await import('#shared/node.ts')).NodeInfo),
    errors: ['storage_failed'],
    handle: ({ nodes }, { query }) => nodes.list({ all: query.all === 'true' }),
  }),
];
