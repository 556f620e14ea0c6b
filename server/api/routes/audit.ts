import { defineRoute } from './define-route.ts';

const auditApi = () => import('#shared/audit.ts');

/** `/api/v1/audit`: who changed what. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/audit',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List who changed what, from where and when, the newest first.',
    guide: 'observability',
    query: async () => (await auditApi()).AuditQuery,
    answer: async () => (await auditApi()).AuditPage,
    errors: ['storage_failed'],
    handle: ({ auditLog }, { query }) => auditLog.list(query),
  }),
];
